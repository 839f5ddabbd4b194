/** What of an account could not be seen, in words: each cause with the types and the regions that it kept from being seen. */
import type { Fault } from '#engine/value/fault.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { permissionIn } from './finder.ts'

export interface Loss {
  /** Empty: of no region. */
  region: string
  types: readonly string[]
  /** Left out: it was not even asked for, since its region is down. */
  fault?: Fault
}

const messageMax = 1000
const causeMax = 200

/** Undefined where nothing was lost; `remarks` stand behind. */
export function lossesIn(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const byCause = Map.groupBy(losses, ({ region, fault }) => JSON.stringify([region, reasonOf(fault)]))
  const told = [...byCause.values()].map(partOf)
  const byWhat = Map.groupBy(told, ({ what, why }) => JSON.stringify([what, why]))
  const sentences = [...byWhat.values()]
    .map((some) => sentence(some))
    .toSorted((one, other) => (one.first < other.first ? -1 : 1))
    .map(({ text }) => text)
  const all = [...sentences, ...remarks]
  return all.length === 0 ? undefined : all.join(' ').slice(0, messageMax)
}

interface Part {
  region: string
  what: string
  why: string
}

/** What one cause kept from being seen in one region. */
function partOf(losses: readonly Loss[]): Part {
  const { region, fault } = losses[0]!
  const names = [...new Set(losses.flatMap(({ types }) => types))].map((type) => typeOf(type)?.displayName ?? type)
  const calls = new Set(losses.map((loss) => callIn(loss.fault)))
  const [call = ''] = calls.size === 1 ? calls : []
  const reason = reasonOf(fault).slice(0, causeMax).replace(/\.$/, '')
  const what = names.length === 0 ? 'The list of regions' : shortenList(names, 'other types')
  return { region, what, why: call === '' ? reason : `${call}: ${reason}` }
}

function sentence(parts: readonly Part[]): { first: string; text: string } {
  const { what, why } = parts[0]!
  const regions = parts.map(({ region }) => region).toSorted()
  const where = regions[0] === '' ? '' : ` in ${shortenList(regions, 'other regions')}`
  return { first: regions[0]!, text: `${what} could not be discovered${where}: ${why}.` }
}

/** Faults of AWS begin with what was asked: `service Operation in region: `. */
const callPrefix = /^([\w-]+ \w+)(?: in [a-z0-9-]+)?: /

function callIn(fault: Fault | undefined): string {
  if (!fault || permissionIn(fault) !== undefined) return ''
  return callPrefix.exec(fault.message)?.[1] ?? ''
}

function reasonOf(fault: Fault | undefined): string {
  if (!fault) return 'the region did not respond, so it was skipped'
  const permission = permissionIn(fault)
  return permission === undefined
    ? fault.message.replace(callPrefix, '')
    : `the role is missing the permission ${permission}`
}

function shortenList(names: readonly string[], others: string): string {
  const [first, second, third, ...rest] = names
  const said = [first, second, third].filter(Boolean).join(', ')
  return rest.length === 0 ? said : `${said} and ${rest.length} ${others}`
}
