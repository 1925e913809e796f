import { expect, test } from "vitest";
import { onSharedHub } from "../testing/shared-hub.ts";
import { auditRoutes } from "./audit.ts";
import { eventRoutes } from "./events.ts";
import { Guard } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { loginRoutes } from "./login.ts";
import { moduleRoutes } from "./module-routes.ts";
import { Outlets } from "./outlet.ts";
import { toolRoutes } from "./tools.ts";

onSharedHub((shared) => {
  test("the contract describes every route, and nothing else", async () => {
    const { hub } = shared.hub;
    using outlets = new Outlets();
    const guard = new Guard(hub.config, 0, "");
    const routes = [
      ...moduleRoutes(hub),
      ...loginRoutes(hub, guard),
      ...eventRoutes(hub, outlets),
      ...auditRoutes(hub),
      ...healthRoutes(hub, guard, () => false),
      ...toolRoutes(hub).filter(({ path }) => path !== "/api/tools/:name"),
    ].map(({ method, path }) => `${method} ${path.replaceAll(/:([a-z]+)/g, "{$1}")}`);
    const tools = hub.tools.all.map(({ name }) => `POST /api/tools/${name}`);
    const { body } = await shared.hub.request("GET", "/openapi.json");
    const described = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual([...routes, ...tools, "GET /openapi.json"].sort());
  });

  test("what the contract says of an address is what its tool takes and gives", async () => {
    const { body } = await shared.hub.request("GET", "/openapi.json");
    const { post, get } = body.paths["/api/messages"];
    expect(post.requestBody.content["application/json"].schema.required).toEqual(["to", "subject", "body"]);
    expect(Object.keys(post.responses)).toContain("201");
    expect(get.parameters.map(({ name }: { name: string }) => name)).toContain("folder");
    const reply = body.paths["/api/messages/{id}/reply"].post;
    expect(reply.parameters).toMatchObject([{ name: "id", in: "path" }]);
    expect(Object.keys(reply.requestBody.content["application/json"].schema.properties)).not.toContain("id");
    const events = body.paths["/events"].get;
    expect(events.parameters.map(({ name }: { name: string }) => name)).toEqual(["topics", "agent", "after"]);
    expect(events.responses[200].content).toHaveProperty("text/event-stream");
    expect(body.paths["/login"].post.security).toEqual([]);
    const { responses } = body.paths["/api/mcp/call"].post;
    const fields = (status: number) => responses[status].content["application/json"].schema.required;
    expect([fields(200), fields(202)]).toEqual([
      ["ok", "result"],
      ["ok", "waiting", "result"],
    ]);
    expect(
      body.paths["/sessions/{id}"].delete.responses[200].content["application/json"].schema.properties,
    ).toHaveProperty("expires_at");
  });
});
