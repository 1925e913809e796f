import { type Actor, type Ctx, has, NOWHERE } from "./context.ts";
import { ParleyError } from "./errors.ts";
import type { CheckReads } from "./guards.ts";
import type { RateLimit } from "./rate-limit.ts";
import { matchUri, namesOf, type Resource, type Watch } from "./resource.ts";
import { storable } from "./text.ts";
import { type Facet, needsNamedSpace } from "./tool.ts";

interface Around {
  ctx: (actor: Actor) => Ctx;
  limit: RateLimit;
  checkReads: CheckReads;
}

/** Every resource of every module. Reading and watching ask the same question: may this actor see it? */
export class Resources {
  readonly #all: readonly Resource[];
  readonly #ctx: (actor: Actor) => Ctx;
  readonly #limit: RateLimit;
  /** What may not be called is neither read nor followed: a hint may bring what is new along. */
  readonly #check: CheckReads;

  constructor(all: readonly Resource[], { ctx, limit, checkReads }: Around) {
    this.#all = all;
    this.#ctx = ctx;
    this.#limit = limit;
    this.#check = checkReads;
  }

  /** In an order that never changes; templates are those with a `{` in their URI. */
  list(actor: Actor, facets?: readonly Facet[]): Resource[] {
    const isListed = (resource: Resource): boolean =>
      !facets || resource.facets.some((facet) => facets.includes(facet));
    return this.#all.filter((resource) => has(actor, ...resource.roles) && isListed(resource));
  }

  async read(actor: Actor, uri: string): Promise<{ mime: string; body: object }> {
    const { resource, variables } = this.#find(actor, uri);
    const ctx = this.#ctx(actor);
    await this.#check(ctx, resource.given_by ?? [], variables);
    return { mime: resource.mime, body: await resource.read(ctx, variables) };
  }

  async watch(actor: Actor, uri: string): Promise<Watch> {
    const { resource, variables } = this.#find(actor, uri);
    const ctx = this.#ctx(actor);
    await this.#check(ctx, resource.given_by ?? [], variables);
    return resource.watch(ctx, variables);
  }

  #find(actor: Actor, uri: string): { resource: Resource; variables: Record<string, string> } {
    this.#limit.take(actor.principal_id);
    if (actor.space_id === NOWHERE) throw unnamed(uri);
    // Nothing has a name that no database holds, and PostgreSQL cannot even look for it.
    const all = storable(uri) === uri ? this.list(actor) : [];
    for (const resource of all)
      for (const known of namesOf(resource)) {
        const variables = matchUri(known, uri);
        if (variables && actor.space_assumed && needsNamedSpace(resource.facets)) throw unnamed(uri);
        if (variables) return { resource, variables };
      }
    throw new ParleyError("UNKNOWN_RESOURCE", `There is no resource ${JSON.stringify(uri.slice(0, 200))}.`, {
      details: { uri: uri.slice(0, 200) },
    });
  }
}

const unnamed = (uri: string): ParleyError =>
  new ParleyError(
    "MISSING_SESSION_ID",
    `${uri.slice(0, 200)} is of one space, and you may use several: name one with X-Session-ID.`,
  );
