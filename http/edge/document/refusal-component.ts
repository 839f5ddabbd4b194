/** Documents the refusals of an operation: each status with its codes. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import { refer } from './header.ts'
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

/** Responses for refusals; each combination of a status and codes once. */
export class RefusalComponents {
  readonly responses: Json = {}
  private readonly problem: Json

  /** @param problem the schema of every refusal, without its title */
  constructor(problem: Json) {
    this.problem = problem
  }

  /** For a route with its own form of refusals: that form, without our codes. */
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
      headers: refer('X-Request-Id', ...(['429', '503'].includes(status) ? (['Retry-After'] as const) : [])),
      content: { 'application/problem+json': { schema: this.schema(Number(status), codes) } },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  /** Written out: generators for Python cannot merge two schemas of the same property. */
  private schema(status: number, codes: readonly string[]): Json {
    const own = { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } }
    return { ...this.problem, properties: { ...(this.problem['properties'] as Json), ...own } }
  }
}
