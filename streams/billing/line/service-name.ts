/**
 * Names of the same service in different bill formats, from `service-name.csv`, so that reports show costs from two
 * formats under one service.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** `name` is the FOCUS name; `format` is the kind of bill with the other spelling: code of a CUR, or Cost Explorer. */
interface Row {
  name: string
  format: string
  spelling: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('service-name.csv', import.meta.url)), { columns: true })

/** Spellings of each service with their formats, by name. */
const services: ReadonlyMap<string, readonly Row[]> = new Map(
  [...Map.groupBy(rows, ({ name }) => name)].map(([name, all]) => [
    name,
    [{ name, format: '', spelling: name }, ...all],
  ]),
)
const nameOf: ReadonlyMap<string, string> = new Map(
  [...services.values()].flatMap((all) => all.map(({ name, spelling }) => [spelling, name] as const)),
)

/** All names of services that have several. */
export const serviceSpellings: readonly string[] = [...nameOf.keys()]

/** The FOCUS name of the service with this name; the name itself if it has no others. */
export const focusServiceName = (name: string): string => nameOf.get(name) ?? name

/** All names of the service with this name; only the name itself if there are no others. */
export const namesOfService = (name: string): string[] =>
  services.get(nameOf.get(name) ?? '')?.map(({ spelling }) => spelling) ?? [name]

/**
 * Names to show instead of those in bills: the FOCUS name if bills of two formats have different names for the service.
 * With bills of only one format its names stay.
 */
export function shownServices(billed: readonly string[]): Map<string, string> {
  const here = new Set(billed)
  const shown = new Map<string, string>()
  for (const [name, all] of services) {
    const found = all.filter(({ spelling }) => here.has(spelling))
    if (new Set(found.map(({ format }) => format)).size < 2) continue
    for (const { spelling } of found) if (spelling !== name) shown.set(spelling, name)
  }
  return shown
}
