/** Documents the refusals of an operation: each status with its codes. */
import { createHash } from 'node:crypto'
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

const nameMax = 64
const capitalized = (code: string): string =>
  code.replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())

/** By its codes; a name that would be too long has the first of them and a hash of all. */
function nameOf(status: string, codes: readonly string[]): string {
  const whole = `Problem${status}${codes.map(capitalized).join('')}`
  if (whole.length <= nameMax) return whole
  const hash = createHash('sha256').update(codes.join()).digest('hex').slice(0, 8)
  return `Problem${status}${capitalized(codes[0]!)}${hash}`
}

/** Responses for refusals; each combination of a status and codes once. */
export class RefusalComponents {
  readonly responses: Json = {}
  /** Schemas of these responses: with names, generators make one type of each and not one for each operation. */
  readonly schemas: Json = {}
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
    const name = nameOf(status, codes)
    this.schemas[name] ??= this.schema(Number(status), codes)
    this.responses[name] ??= {
      description: `${meanings[status]} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
      headers: refer('X-Request-Id', ...(['429', '503'].includes(status) ? (['Retry-After'] as const) : [])),
      content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${name}` } } },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  /** Written out: generators for Python cannot merge two schemas of the same property. */
  private schema(status: number, codes: readonly string[]): Json {
    const own = { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } }
    return { ...this.problem, properties: { ...(this.problem['properties'] as Json), ...own } }
  }
}
