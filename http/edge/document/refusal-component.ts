/** How the document says what an operation is refused with: each status with the codes that come with it. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import { refusalsOf } from './refusal.ts'
import type { Route } from '#http/edge/route.ts'

type Json = Record<string, unknown>

const meanings: Readonly<Record<string, string>> = {
  400: 'Invalid input; `errors` lists each problem.',
  401: 'The token is missing or invalid.',
  403: 'The caller is not permitted to do this, or not in this organization.',
  404: 'Not found in this organization.',
  408: 'The request body took longer than 30 seconds to arrive.',
  409: 'The current state does not allow this, or the object already exists.',
  412: 'The object has changed since the version in `If-Match`.',
  413: 'The body is too large.',
  415: 'The operation does not accept this media type.',
  422: 'The request is valid but cannot be processed now.',
  429: 'Too many requests; try again after `Retry-After` seconds.',
  500: 'Internal error.',
  502: 'A third-party server returned an unexpected response.',
  503: 'Temporarily unavailable; try again after `Retry-After` seconds.',
}

/** The answers of refusals, each combination of a status and its codes once. */
export class RefusalComponents {
  readonly responses: Json = {}
  private readonly problem: Json

  /** `problem` refers to the schema of every refusal. */
  constructor(problem: Json) {
    this.problem = problem
  }

  /** Of a route that says refusals in a form of its own, in that form, which has no codes of ours. */
  of(r: Route, refer: (schema: Keywords) => Json): Json {
    const { refusal } = r
    const said = (status: string, codes: readonly string[]): Json =>
      refusal
        ? {
            description: meanings[status]!,
            content: { [refusal.media]: { schema: refer(refusal.schema as Keywords) } },
          }
        : this.refer(status, codes)
    return Object.fromEntries(
      Object.entries(refusalsOf(r)).map(([status, codes]) => [status, said(status, codes.toSorted())]),
    )
  }

  private refer(status: string, codes: readonly string[]): Json {
    const name = `Problem${status}.${codes.join('.')}`
    this.responses[name] ??= {
      description: `${meanings[status]} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
      content: { 'application/problem+json': { schema: this.schema(Number(status), codes) } },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  private schema(status: number, codes: readonly string[]): Json {
    const properties = { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } }
    return { allOf: [this.problem, { type: 'object', properties }] }
  }
}
