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
}

/** Characters of the whole message, and of one cause. */
const [messageMax, causeMax] = [1000, 200]

/** Undefined if nothing was lost; `remarks` come last. */
export function lossMessage(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const byCause = Map.groupBy(losses, ({ regions, why }) => JSON.stringify([regions.toSorted(), why]))
  const parts = [...byCause.values()].map(partOf)
  const byWhat = Map.groupBy(parts, ({ what, why }) => JSON.stringify([what, why]))
  const sentences = [...byWhat.values()].map(sentence).toSorted(byRegionAndText)
  const all = [...sentences.map(({ text }) => text), ...remarks]
  return all.length === 0 ? undefined : all.join(' ').slice(0, messageMax)
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
