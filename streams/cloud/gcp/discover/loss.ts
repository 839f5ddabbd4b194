/** What of a project could not be seen, in words. */
import { typeOf } from '#streams/cloud/resource/resource-type.ts'

export interface Loss {
  types: readonly string[]
  why: string
  /** Empty: all. */
  regions: readonly string[]
}

const messageMax = 1000
const causeMax = 200

/** One sentence a cause. Undefined where nothing was lost; `remarks` stand behind. */
export function lossesIn(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const byCause = Map.groupBy(losses, ({ why, regions }) => JSON.stringify([why, regions.toSorted()]))
  const sentences = [...byCause.values()].map((some) => {
    const [{ why, regions }] = some as [Loss, ...Loss[]]
    const names = [...new Set(some.flatMap(({ types }) => types))].map((type) => typeOf(type)?.displayName ?? type)
    const where = regions.length === 0 ? '' : ` in ${shortenList(regions.toSorted(), 'other regions')}`
    return `${shortenList(names, 'other types')} could not be discovered${where}: ${why.slice(0, causeMax).replace(/\.$/, '')}.`
  })
  const all = [...sentences.toSorted(), ...remarks]
  return all.length === 0 ? undefined : all.join(' ').slice(0, messageMax)
}

function shortenList(names: readonly string[], others: string): string {
  const said = names.slice(0, 3).join(', ')
  return names.length <= 3 ? said : `${said} and ${names.length - 3} ${others}`
}
