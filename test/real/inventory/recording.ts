/** Recorded answers of clouds, and what they become: observations in the order the answers were given. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Static } from '#engine/value/schema.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { resourceStatuses, type resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'

/** A resource as an answer shows it. */
export type Found = Omit<Static<typeof resourceDiscovered.schema>, 'cloudAccountId'>
/** `gone`: the answer still lists what no longer exists. */
export type Sighting = Found | { gone: string }

/** Anything a recorded answer holds; what is missing is undefined, as in the SDK shapes. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

/** Recordings of one cloud whose names match, in the order of their names. */
export function recordings(folder: string, cloud: string, pattern: RegExp): string[] {
  const place = join(folder, 'inventory', cloud)
  const names = existsSync(place) ? readdirSync(place) : []
  return names
    .filter((name) => pattern.test(name))
    .toSorted()
    .map((name) => join(place, name))
}

/** What is in one recording of the wire, as the recorded data says; empty where it says nothing. */
export function expectedIn(folder: string, cloud: string, path: string): Json[] {
  const end = `__inventory__${cloud}__${basename(path).replace('.jsonl.gz', '.json')}`
  const name = readdirSync(join(folder, 'expected')).find((file) => file.endsWith(end))
  return name ? (JSON.parse(readFileSync(join(folder, 'expected', name), 'utf8')) as Json[]) : []
}

/** The lines of a file of JSON lines, gzip or not. */
export function linesOf(path: string): Json[] {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
}

const always = 'running while it exists'

/**
 * Our status for the cloud's own state, as the list of types maps it; undefined while the state is not known. A state that
 * the list does not name is `pending`, and a type it does not name is running while it exists.
 */
export function statusOf(type: string, state: string | null | undefined): ResourceStatus | undefined {
  const map = typeOf(type)?.statusMap ?? always
  if (map === always) return 'running'
  if (state === null || state === undefined) return undefined
  for (const entry of map.split('; ')) {
    const [theirs = '', ours = ''] = entry.split('=')
    const named = resourceStatuses.find((status) => status === /^[a-z]+/.exec(ours)?.[0])
    if (named && theirs.split(',').map(bare).includes(bare(state))) return named
  }
  return 'pending'
}

/** The power states of Azure have a prefix, most of which the list leaves out. */
const bare = (state: string): string => state.replace(/^PowerState\//, '')

/** Tags as every cloud spells them: lists of keys and values, objects, null, or nothing at all. */
export function tagsOf(tags: Json): Record<string, string> {
  if (tags === null || tags === undefined) return {}
  const entries = Array.isArray(tags)
    ? tags.map((tag: Json) => [tag.Key ?? tag.key, tag.Value ?? tag.value])
    : Object.entries(tags as object)
  return Object.fromEntries(entries.map(([key, value]) => [key, value ?? '']))
}

export const numberOf = (value: Json): number | null => (value === undefined || value === null ? null : Number(value))
