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

export const toToolResult = (content: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: content }],
  ...(isError && { isError }),
})

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
