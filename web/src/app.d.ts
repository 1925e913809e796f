import type { Component } from "svelte";

declare global {
  namespace App {
    interface PageData {
      /** What a section has beside its pages, in the place of the agents. */
      aside?: Component;
    }

    interface PageState {
      /** Came here from the list, so going back leads there. */
      from_list?: boolean;
    }
  }
}
