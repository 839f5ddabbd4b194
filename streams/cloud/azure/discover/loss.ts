/** What of a subscription could not be seen, in words: each cause with the types that it kept from being seen. */
import type { Fault } from '#engine/value/fault.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { permissionIn } from './finder.ts'

export interface Loss {
  types: readonly string[]
  fault: Fault
}

const messageMax = 1000
const causeMax = 200

/** Undefined where nothing was lost; `remarks` stand behind. */
export function lossesIn(losses: readonly Loss[], remarks: readonly string[] = []): string | undefined {
  const byCause = Map.groupBy(losses, ({ fault }) => reasonOf(fault))
  const sentences = [...byCause].map(([why, some]) => {
    const names = [...new Set(some.flatMap(({ types }) => types))].map((type) => typeOf(type)?.displayName ?? type)
    return `${shortenList(names)} could not be discovered: ${why.slice(0, causeMax).replace(/\.$/, '')}.`
  })
  const all = [...sentences.toSorted(), ...remarks]
  return all.length === 0 ? undefined : all.join(' ').slice(0, messageMax)
}

const reasonOf = (fault: Fault): string => {
  const permission = permissionIn(fault)
  return permission === undefined ? fault.message : `the application is missing the permission ${permission}`
}

function shortenList(names: readonly string[]): string {
  const said = names.slice(0, 3).join(', ')
  return names.length <= 3 ? said : `${said} and ${names.length - 3} other types`
}
