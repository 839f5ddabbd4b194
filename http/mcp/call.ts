/** Converts a tool call to the request it stands for, and the response to a tool result. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { badInput, problemOf, type InputError } from '#http/edge/problem.ts'
import type { Inner } from '#http/edge/inner-request.ts'
import { inputsOf, type Tool } from './tool.ts'

type Arguments = Readonly<Record<string, unknown>>

/** Unknown arguments are passed on to the edge, which refuses them and names the nearest known one. */
export function askOf({ route }: Tool, { confirm: _confirm, ...given }: Arguments): Inner {
  const { params, query, body } = inputsOf(route)
  const hasBody = route.body !== undefined
  const [inQuery, inBody]: [string[][], Record<string, unknown>] = [[], {}]
  for (const [name, value] of Object.entries(given)) {
    if (params.includes(name) || value === undefined) continue
    if (hasBody && (body.includes(name) || !(name in query))) inBody[name] = value
    else inQuery.push(...texts(name, value))
  }
  const path = route.path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(text(given[name])))
  const search = new URLSearchParams(inQuery).toString()
  return {
    method: route.method,
    url: search === '' ? path : `${path}?${search}`,
    ...(hasBody && { body: JSON.stringify(inBody) }),
  }
}

/** A list is repeated; a map has one parameter per key: `name[key]=value`. */
function texts(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((one) => [name, text(one)])
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, one]) => texts(`${name}[${key}]`, one))
  return [[name, text(value)]]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const toToolResult = (content: string, isError: boolean, link?: string): CallToolResult => ({
  content: [
    { type: 'text', text: content },
    ...(link === undefined ? [] : [{ type: 'text' as const, text: `In the console: ${link}` }]),
  ],
  ...(isError && { isError }),
})

/** The view of the console with the same figures, for the people the agent answers. Parameters not given are left out. */
export function linkOf({ view }: Tool, given: Arguments, publicUrl: string): string | undefined {
  if (view === undefined || publicUrl === '') return undefined
  const filled = new URL(`${publicUrl}/console/${view}`)
  // A copy: parameters are deleted on the way.
  for (const [name, value] of Array.from(filled.searchParams)) {
    const asked = value.startsWith(':') ? given[value.slice(1)] : value
    if (asked === undefined) filled.searchParams.delete(name)
    else filled.searchParams.set(name, text(asked))
  }
  return filled.href
}

/** About 15,000 tokens of most models: beyond it an answer takes the room that the rest of a conversation needs. */
const charactersMax = 60_000

/** An answer that is too long keeps the first elements of its longest lists, and says of each how many there were. */
export function shortenAnswer(answer: string): string {
  if (answer.length <= charactersMax) return answer
  const content: unknown = JSON.parse(answer)
  const shown = new Map<string, string>()
  for (let max = 256; max >= 1; max /= 2) {
    shown.clear()
    const cut = JSON.stringify(withElements(content, max, '', shown))
    if (cut.length <= charactersMax || max === 1)
      return JSON.stringify({
        shortened: `Too long to return whole. Lists here: ${[...shown].map(([name, said]) => `${name} ${said}`).join(', ')}. Narrow the question, or page through it with page and limit.`,
        ...(JSON.parse(cut) as object),
      })
  }
  return answer
}

/** `shown` gets the name of each list that was cut, and what is left of it. */
function withElements(of: unknown, max: number, name: string, shown: Map<string, string>): unknown {
  if (Array.isArray(of)) {
    if (of.length > max) shown.set(name, `${max} of ${of.length}`)
    return of.slice(0, max).map((one) => withElements(one, max, name, shown))
  }
  if (typeof of !== 'object' || of === null) return of
  return Object.fromEntries(Object.entries(of).map(([key, one]) => [key, withElements(one, max, key, shown)]))
}

/** Path segments that would lead to another path, in any encoding. */
const dots: readonly unknown[] = ['.', '..']

/** The result for a call whose path parameters are missing or lead elsewhere; undefined if they are fine. */
export function incomplete({ route }: Tool, given: Arguments): CallToolResult | undefined {
  const errors = inputsOf(route).params.flatMap((name): InputError[] => {
    const value = given[name]
    if (value === undefined || value === '') return [{ in: 'path', name, code: 'required', message: 'is required' }]
    return dots.includes(value) ? [{ in: 'path', name, code: 'format', message: 'is not a valid ID' }] : []
  })
  if (errors.length === 0) return undefined
  const { requestId: _, ...problem } = problemOf(badInput(...errors), route.path, '').body
  return toToolResult(JSON.stringify(problem), true)
}

/** The result for a write that was not confirmed. */
export const toUnconfirmedResult = (ask: Inner): CallToolResult =>
  toToolResult(
    JSON.stringify({
      code: 'confirmation_required',
      detail: 'Nothing was changed. Tell your user what this would do, then call again with confirm: true.',
      wouldAsk: { ...ask, ...(ask.body !== undefined && { body: JSON.parse(ask.body) as unknown }) },
    }),
    true,
  )
