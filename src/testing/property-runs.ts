/**
 * How often a property is tried: what a run of all tests has time for, with other examples each time, or
 * `PARLEY_TEST_RUNS` times as often for whoever looks for what is rare.
 */
export const propertyRuns = (usual: number): number => usual * Number(process.env.PARLEY_TEST_RUNS ?? 1);
