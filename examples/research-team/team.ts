/** What each of the team does. There is no model: a script plays each part, with the tools a model would use. */
import type { Agent } from "./agent.ts";

interface PlanTask {
  id: string;
  assigned_to: string | null;
}

/** Does its task of the plan: takes it, works, and says what came of it. */
async function onTask(agent: Agent, work: () => Promise<string>): Promise<string> {
  const { plan } = await agent.read<{ plan: PlanTask[] }>("read_plan");
  const task = plan.find(({ assigned_to }) => assigned_to === agent.name);
  if (!task) throw new Error(`${agent.name} has nothing to do`);
  await agent.write("start", "update_task", { task_id: task.id, status: "in_progress" });
  const summary = await work();
  await agent.write("complete", "update_task", { task_id: task.id, status: "completed", summary });
  return summary;
}

export const TEAM = ["market-analyst", "competitor-analyst", "finance-analyst", "synthesizer"] as const;

/** The orchestrator's plan: the analysts in turn, and whoever puts it all together. */
export const PLAN = [
  { ref: "market", description: "How large is the market for coffee in Prague?", assigned_to: TEAM[0] },
  { ref: "rivals", description: "Who sells it, for how much?", assigned_to: TEAM[1], dependencies: ["market"] },
  { ref: "money", description: "Does it pay?", assigned_to: TEAM[2], dependencies: ["rivals"] },
  { ref: "report", description: "The executive summary", assigned_to: TEAM[3], dependencies: ["money"] },
];

export const market = (agent: Agent): Promise<string> =>
  onTask(agent, async () => {
    await agent.write("size", "add_note", { content: "1.3 million people, 320 cups each a year", tags: ["market"] });
    await agent.write("section", "write_draft_section", {
      section_id: "market",
      title: "Market",
      content: "People in Prague drink about 416 million cups of coffee a year.",
    });
    return "One note, one section.";
  });

export const competitors = (agent: Agent): Promise<string> =>
  onTask(agent, async () => {
    await agent.write("prices", "add_note", { content: "Rivals ask 65 to 95 CZK for a cup", tags: ["price"] });
    await agent.write("section", "write_draft_section", {
      section_id: "competitors",
      title: "Competitors",
      content: "A cup costs between 65 and 95 CZK.",
    });
    // Work waits for it: after this phase the workflow pauses until somebody has answered.
    await agent.write("budget", "add_question", {
      question: "What may opening the shop cost?",
      context: "Finance cannot be worked out without it.",
      options: ["500,000 CZK", "1,000,000 CZK"],
      priority: "high",
      blocking: true,
    });
    return "One note, one section, one question.";
  });

export const finance = (agent: Agent): Promise<string> =>
  onTask(agent, async () => {
    const { content: answers } = await agent.read<{ content: string }>("read_section", {
      section_name: "user_answers",
    });
    await agent.write("section", "write_draft_section", {
      section_id: "finance",
      title: "Finance",
      content: `What people said:\n\n${answers}`,
    });
    return "One section, by what people answered.";
  });

export const synthesis = (agent: Agent): Promise<string> =>
  onTask(agent, async () => {
    const { sections } = await agent.read<{ sections: { title: string }[] }>("read_draft");
    const { count } = await agent.read<{ count: number }>("read_notes");
    const titles = sections.map(({ title }) => title).filter((title) => title !== "Executive Summary");
    await agent.write("summary", "write_draft_section", {
      section_id: "executive_summary",
      title: "Executive Summary",
      content: `From ${count} notes and the sections ${titles.join(", ")}: open the shop.`,
    });
    return "The summary.";
  });
