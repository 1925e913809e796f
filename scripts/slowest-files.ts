/** Where the time of a run went, which says what to make quicker first. */
export interface FileTime {
  project: string;
  file: string;
  seconds: number;
}

const SHOWN = 10;

/** The slowest files of each project, in lines for people. */
export function slowestFiles(files: readonly FileTime[]): string[] {
  return [...Map.groupBy(files, ({ project }) => project)].flatMap(([project, own]) => {
    const sum = own.reduce((all, { seconds }) => all + seconds, 0);
    const slowest = own.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    return [
      `Slowest of ${project}, ${own.length} files with ${sum.toFixed(1)} s in all:`,
      ...slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
    ];
  });
}
