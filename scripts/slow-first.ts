import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Short files that take long, because each kills programs, waits for a lease or tries many things: of files that it has
 * not run before Vitest begins with the longest, and would have to wait for these alone in the end.
 */
const SLOW = [
  /\/test\/((crash|disk|nodes)-[^/]*|[^/]*-(crash|look))\.test\.ts$/,
  /\/test\/(bench|cli-channel|cli-demo|limits-load|mcp-stdio|mcp-tasks|ready|tasks-wake|web-cost|web-long|web-parts)\.test\.ts$/,
  /\/src\/client\/faults\.test\.ts$/,
  /\/src\/db\/(migrate|postgres\.postgres)\.test\.ts$/,
  /\/src\/runner\/(clients|runner|watching)\.test\.ts$/,
  /\/src\/modules\/mail\/mail-(loops|storms)\.test\.ts$/,
  /\/src\/modules\/triggers\/triggers-(relay|runs)\.test\.ts$/,
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { slow = [], others = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      SLOW.some((pattern) => pattern.test(moduleId)) ? "slow" : "others",
    );
    return [...slow, ...others];
  }
}
