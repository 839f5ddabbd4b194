/** Names that formats of bills have for one service, by `service-name.csv`: costs that came in two formats are of one service in reports. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** `name` is that of FOCUS, `format` the kind of bill that spells it otherwise: the code of a CUR, or Cost Explorer. */
interface Row {
  name: string
  format: string
  spelling: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('service-name.csv', import.meta.url)), { columns: true })

/** How each service is spelled, with the format, by its name. */
const services: ReadonlyMap<string, readonly Row[]> = new Map(
  [...Map.groupBy(rows, ({ name }) => name)].map(([name, all]) => [
    name,
    [{ name, format: '', spelling: name }, ...all],
  ]),
)
const nameOf: ReadonlyMap<string, string> = new Map(
  [...services.values()].flatMap((all) => all.map(({ name, spelling }) => [spelling, name] as const)),
)

/** Every name of a service that formats differ about. */
export const serviceSpellings: readonly string[] = [...nameOf.keys()]

/** All names of the service that is called so; of one that has no other name that alone. */
export const namesOfService = (name: string): string[] =>
  services.get(nameOf.get(name) ?? '')?.map(({ spelling }) => spelling) ?? [name]

/**
 * What names are shown as, of those that bills have: one of FOCUS where bills of two formats call the service differently. Bills of one
 * format keep their own names.
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
