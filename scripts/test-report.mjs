/**
 * What a run of Vitest came to, as a file: the numbers, every failure in a few lines, and how long each file took. Of
 * a long output people read the end, and Vitest's own account of a failure may be far above it.
 */
import { writeFileSync } from "node:fs";

const LINES = 6;
const WIDTH = 200;

export default class TestReport {
  onTestRunEnd(modules, unhandled) {
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const outside = [
      ...suites.flatMap((suite) => suite.errors().map((error) => brief(titleOf(suite), error))),
      ...unhandled.map((error) => brief(`Outside of a test, after "${error.VITEST_TEST_NAME ?? ""}"`, error)),
    ];
    const failures = [...tests.flatMap((test) => faults(test).map((error) => brief(titleOf(test), error))), ...outside];
    const report = { passed, failed: tests.length - passed + outside.length, failures, files: modules.map(timeOf) };
    writeFileSync(process.env.PARLEY_TEST_REPORT, JSON.stringify(report));
  }
}

function titleOf(entity) {
  return entity.type === "module" ? entity.relativeModuleId : `${entity.module.relativeModuleId} > ${entity.fullName}`;
}

function timeOf(module) {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  const seconds = (prepareDuration + collectDuration + setupDuration + duration) / 1000;
  return { project: module.project.name, file: module.relativeModuleId, seconds };
}

/** A test that did not run proves nothing, so it counts like one that did and failed. */
function faults(test) {
  const { state, errors } = test.result();
  if (state === "passed") return [];
  return errors?.length ? errors : [{ message: `It did not run (${state}), and nothing may be skipped.` }];
}

function brief(title, { name = "Error", message = "", stack = "" }) {
  const own = `${stack}`.split("\n").find((line) => /^\s*at .*\/(src|test|web)\//.test(line));
  const lines = `${name}: ${message}`.split("\n").filter((line) => line.trim() !== "");
  const shown = [...lines.slice(0, LINES), ...(own ? [own] : [])];
  return [title, ...shown.map((line) => `    ${line.trim().slice(0, WIDTH)}`)].join("\n");
}
