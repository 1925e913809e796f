import type { Environment } from "vitest/runtime";

/** Makes Vitest compile state as for a browser, and brings the little of a page that keeping things needs. */
// noDefaultExport is off here: Vitest reads an environment from the default export.
export default {
  name: "page",
  viteEnvironment: "client",
  setup(global) {
    const page = new EventTarget();
    Object.assign(global, {
      addEventListener: page.addEventListener.bind(page),
      removeEventListener: page.removeEventListener.bind(page),
      dispatchEvent: page.dispatchEvent.bind(page),
      StorageEvent: StorageTold,
      localStorage: new Kept(),
      sessionStorage: new Kept(),
    });
    return { teardown: () => {} };
  },
} satisfies Environment;

class StorageTold extends Event {
  readonly key: string;
  readonly newValue: string | null;

  constructor(type: string, { key, newValue }: { key: string; newValue: string | null }) {
    super(type);
    this.key = key;
    this.newValue = newValue;
  }
}

class Kept {
  readonly #items = new Map<string, string>();

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  get length(): number {
    return this.#items.size;
  }

  key(at: number): string | null {
    return [...this.#items.keys()][at] ?? null;
  }

  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }

  clear(): void {
    this.#items.clear();
  }
}
