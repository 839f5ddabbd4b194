/** What a scan could not see, in sentences: each cause with the types and the regions that it kept from being seen. */
import { typeOf } from '#streams/cloud/resource/resource-type.ts'

export interface Loss {
  /** Empty: the list of regions itself. */
  types: readonly string[]
  /** Empty: of no region, or of all. */
  regions: readonly string[]
  why: string
  /** The call that failed, where the cloud names it apart from the reason. */
  call?: string
  /** If the cause is a missing permission. */
  lack?: Lack
}

interface Lack {
  permission: string
  /** Whom it belongs to: `the role`. */
  who: string
  /** Prints the document that grants all. */
  command: string
}

/** More missing permissions than these are told in one sentence. */
const lacksMax = 3

/** Characters of the whole message, and of one cause. */
const [messageMax, causeMax] = [1000, 200]

/** Undefined if nothing was lost; `remarks` come last. */
export function lossMessage(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const byCause = Map.groupBy(joinLacks(losses), ({ regions, why }) => JSON.stringify([regions.toSorted(), why]))
  const parts = [...byCause.values()].map(partOf)
  const byWhat = Map.groupBy(parts, ({ what, why }) => JSON.stringify([what, why]))
  const sentences = [...byWhat.values()].map(sentence).toSorted(byRegionAndText)
  const all = [...sentences.map(({ text }) => text), ...remarks]
  return all.length === 0 ? undefined : all.join(' ').slice(0, messageMax)
}

/** An account whose role has an old policy lacks many permissions, each for some types: one cause, which is mended at once. */
function joinLacks(losses: readonly Loss[]): readonly Loss[] {
  const lacking = losses.filter(({ lack }) => lack)
  const permissions = [...new Set(lacking.map(({ lack }) => lack!.permission))].toSorted()
  if (permissions.length <= lacksMax) return losses
  const { who, command } = lacking[0]!.lack!
  const why = `${who} is missing ${shortenList(permissions, 'other permissions')}; compare its policy with the output of ${command}`
  const regions = lacking.some((one) => one.regions.length === 0) ? [] : lacking.flatMap((one) => one.regions)
  const joined = { types: lacking.flatMap(({ types }) => types), regions: [...new Set(regions)], why }
  return [...losses.filter(({ lack }) => !lack), joined]
}

interface Part {
  what: string
  why: string
  regions: readonly string[]
}

/** What one cause kept from being seen in the same regions. */
function partOf(losses: readonly Loss[]): Part {
  const { regions, why } = losses[0]!
  const names = [...new Set(losses.flatMap(({ types }) => types))].map((type) => typeOf(type)?.displayName ?? type)
  const calls = new Set(losses.map(({ call = '' }) => call))
  const [call = ''] = calls.size === 1 ? calls : []
  const reason = why.slice(0, causeMax).replace(/\.$/, '')
  const what = names.length === 0 ? 'The list of regions' : shortenList(names, 'other types')
  return { regions, what, why: call === '' ? reason : `${call}: ${reason}` }
}

interface Sentence {
  region: string
  text: string
}

function sentence(parts: readonly Part[]): Sentence {
  const { what, why } = parts[0]!
  const regions = [...new Set(parts.flatMap((part) => part.regions))].toSorted()
  const where = regions.length === 0 ? '' : ` in ${shortenList(regions, 'other regions')}`
  return { region: regions[0] ?? '', text: `${what} could not be discovered${where}: ${why}.` }
}

const byRegionAndText = (a: Sentence, b: Sentence): number =>
  a.region === b.region ? Number(a.text > b.text) - Number(a.text < b.text) : a.region < b.region ? -1 : 1

function shortenList(names: readonly string[], others: string): string {
  const first = names.slice(0, 3).join(', ')
  return names.length <= 3 ? first : `${first} and ${names.length - 3} ${others}`
}
