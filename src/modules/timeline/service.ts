/**
 * Of several runtimes of an agent the one that was started last runs it, and what an earlier one writes is refused. Each
 * message of a person is in the agent's log once, in the order of the chat, and the mark moves in the same transaction. An
 * agent has one turn at a time. What was logged never changes; what people see is a fold of it. See docs/design/runtime.md.
 */

export { resumeWithinBudget } from "./service/budgets.ts";
export { callProvider } from "./service/called.ts";
export { callServer } from "./service/calling.ts";
export { anyHint, CONTROL, TOPIC, wire } from "./service/events.ts";
export { timelineExplains } from "./service/explaining.ts";
export { subscribe, unsubscribe } from "./service/following.ts";
export { fork, setTools } from "./service/forking.ts";
export { guard } from "./service/guarding.ts";
export { hostingDue, startInHub, stopInHub } from "./service/hosting.ts";
export { next } from "./service/injecting.ts";
export { readTimeline, streamsOf, whose } from "./service/items.ts";
export { resumeAfterQuota, throttle } from "./service/quotas.ts";
export { followed } from "./service/reactions.ts";
export { readLog } from "./service/reading.ts";
export { record } from "./service/recording.ts";
export { reopenedRuntime, reopenedTurn } from "./service/reopening.ts";
export { SILENT_MS } from "./service/silence.ts";
export { connectTimeline } from "./service/socket.ts";
export { report, runtimeDue, start } from "./service/starting.ts";
export { mountProvider, status, subscriptions } from "./service/status.ts";
export { abort, pause, resume, yieldTurn } from "./service/steering.ts";
export { take } from "./service/taking.ts";
export { readText } from "./service/texts.ts";
export { noteTools } from "./service/tools-off.ts";
