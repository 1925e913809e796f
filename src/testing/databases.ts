const DATABASES = ["sqlite", "postgres"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** What this run tests on: all of them, unless `PARLEY_TEST_DATABASES` names some (`sqlite` for a quick round). */
export function testDatabases(): DatabaseName[] {
  const names = (process.env.PARLEY_TEST_DATABASES ?? DATABASES.join(",")).split(",");
  return names.map((given) => {
    const known = DATABASES.find((name) => name === given.trim());
    if (!known) throw new Error(`PARLEY_TEST_DATABASES names ${given}; it may name ${DATABASES.join(" and ")}.`);
    return known;
  });
}
