declare global {
  namespace App {
    interface PageState {
      /** Came here from the list, so going back leads there. */
      from_list?: boolean;
    }
  }
}

export {};
