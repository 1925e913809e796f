/** Asks `/wait` of the port it is given, and prints the answer. */
import { request } from "node:http";

const options = { host: "127.0.0.1", port: Number(process.argv[2]), path: "/wait", method: "POST", agent: false };
request(options, (response) => {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.on("end", () =>
    process.stdout.write(`${JSON.stringify(JSON.parse(Buffer.concat(chunks).toString("utf8")))}\n`),
  );
}).end("{}");
