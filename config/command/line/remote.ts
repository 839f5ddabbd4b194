/** The API of a product elsewhere, asked over HTTP with a token. */
import { Fault } from '#engine/value/fault.ts'
import type { Profile } from '#config/settings/profile.ts'
import type { Api, RouteInput } from './api.ts'
import { version } from '#config/process/version.ts'

/** Longer than any report takes; a product that hangs is given up. */
const answerMs = 120_000

export const remoteApi = (profile: Omit<Profile, 'name'>): Api => ({
  async ask<T>(name: string, given: RouteInput = {}) {
    const [method, path] = name.split(' ') as [string, string]
    const url = path.replaceAll(/:(\w+)/g, (_whole, one: string) => encodeURIComponent(given.params?.[one] ?? ''))
    const search = searchOf(given.query).toString()
    const text = await askRemote(profile, method, search === '' ? url : `${url}?${search}`, bodyOf(given.body))
    if (text === '') return undefined as T
    const answer = JSON.parse(text) as { data?: T }
    return Object.hasOwn(answer, 'data') ? answer.data! : (answer as T)
  },
})

/** JSON leaves out members that are undefined. */
const bodyOf = (body: object | undefined): string | undefined => (body === undefined ? undefined : JSON.stringify(body))

function searchOf(query: RouteInput['query'] = {}): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  return search
}

/** The text that is answered. @throws Fault with the code and words of a refusal; Error if it cannot be reached */
export async function askRemote(
  { url, token, org }: Omit<Profile, 'name'>,
  method: string,
  path: string,
  body?: string,
): Promise<string> {
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${token}`,
    'User-Agent': `tidemark/${version}`,
    ...(org !== undefined && { 'X-Org-Id': org }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
  const request = { method, headers, signal: AbortSignal.timeout(answerMs), ...(body !== undefined && { body }) }
  let response: Response
  try {
    response = await fetch(`${url.replace(/\/$/, '')}${path}`, request)
  } catch (error) {
    const { cause = error } = error as Error
    throw new Error(`${url} cannot be reached: ${(cause as Error).message}`, { cause: error })
  }
  const text = await response.text()
  if (response.ok) return text
  throw refusal(text, response.status, url)
}

function refusal(text: string, status: number, url: string): Fault {
  try {
    const { code, detail, errors = [] } = JSON.parse(text) as { code: string; detail: string; errors?: InputError[] }
    if (typeof code === 'string') return Fault.invalid(code, [detail, ...errors.map(sentenceOf)].join(' '))
  } catch {
    // Not ours.
  }
  return Fault.invalid('unexpected_answer', `${url} answered with status ${status}. Is it the address of a Tidemark?`)
}

interface InputError {
  name?: string
  message: string
}

const sentenceOf = ({ name, message }: InputError): string =>
  name === undefined ? `${message}.` : `${name} ${message}.`
