export { deadDue, diedIn } from "./dead.ts";
export { move, plan, planBy, unplan } from "./plan.ts";
export { openSpace, planAnew, planningDue } from "./planning.ts";
export { Scheduler } from "./scheduler.ts";
