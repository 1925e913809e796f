/** What is wrong with what a schema refused, as one thing to say. */
import type { z } from "zod";

/** The first of all that is wrong, and where it stands; nothing for what cannot be told apart. */
export function issueIn(error: z.ZodError): { where: string; message: string } | undefined {
  const [first] = error.issues;
  const issue = first && deepest(first);
  return issue && { where: issue.path.join("."), message: issue.message };
}

/** Of what may be written in several ways, what is wrong with the way that was meant: the one that fits furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const firsts = issue.errors.flatMap(([first]) => (first ? [deepest(first)] : []));
  const [best] = firsts.sort((a, b) => b.path.length - a.path.length);
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}
