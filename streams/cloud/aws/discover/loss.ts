/** What of an account could not be seen for reasons that pass, in words. */
import type { Fault } from '#engine/fault.ts'
import { typeOf } from '#streams/cloud/resource-type.ts'

export interface Loss {
  /** Empty: of no region. */
  region: string
  types: readonly string[]
  /** Left out: it was not even asked for, since its region is down. */
  fault?: Fault
}

const messageMax = 1000

/** Undefined where nothing was lost; `remarks` stand behind. */
export function lossesIn(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const regions = [...Map.groupBy(losses, ({ region }) => region)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sentences = [...regions.map(([region, some]) => sentence(region, some)), ...remarks]
  return sentences.length === 0 ? undefined : sentences.join(' ').slice(0, messageMax)
}

function sentence(region: string, losses: readonly Loss[]): string {
  const names = [...new Set(losses.flatMap(({ types }) => types))].map((type) => typeOf(type)?.displayName ?? type)
  const why = losses.find(({ fault }) => fault)?.fault?.message ?? 'its region does not answer'
  const what = names.length === 0 ? 'Which regions there are' : shortened(names)
  return `${what} could not be seen${region === '' ? '' : ` in ${region}`}: ${why.slice(0, 200).replace(/\.$/, '')}.`
}

function shortened(names: readonly string[]): string {
  const [first, second, third, ...rest] = names
  const said = [first, second, third].filter(Boolean).join(', ')
  return rest.length === 0 ? said : `${said} and ${rest.length} other types`
}
