interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface OpenApi {
  paths?: Record<string, { post?: { requestBody?: { content?: Record<string, { schema?: Schema }> } } }>;
}

/** Which arguments of a tool may be text, by the hub's own description; undefined if it describes no such tool. */
export function textProperties(document: unknown, tool: string): ReadonlySet<string> | undefined {
  // Every step is optional: whatever else it is, nothing is found in it.
  const { paths } = (document ?? {}) as OpenApi;
  const schema = paths?.[`/api/tools/${tool}`]?.post?.requestBody?.content?.["application/json"]?.schema;
  if (!schema?.properties) return undefined;
  const names = Object.entries(schema.properties).flatMap(([name, property]) => (takesText(property) ? [name] : []));
  return new Set(names);
}

const takesText = (schema: Schema): boolean => schema.type === "string" || (schema.anyOf?.some(takesText) ?? false);
