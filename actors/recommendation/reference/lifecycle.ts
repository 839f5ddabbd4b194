/** End of support of engine, runtime and cluster versions, and their successors. */
import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import { daysBetween } from '#engine/value/day.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import { textAt } from './fact-value.ts'

interface Version {
  readonly series: string
  readonly version: string
  /** YYYY-MM-DD; empty if no end is set. */
  readonly end: string
}

export interface Lifecycle {
  /** Null: no end is set. */
  readonly daysToEnd: number | null
  /** The next version that is supported long enough; null if there is none. */
  readonly successor: string | null
}

/** A successor with fewer days of support is skipped, unless no other is supported. */
const daysEnough = 180

const rdsSeries: Readonly<Record<string, string>> = {
  mysql: 'rds-mysql',
  mariadb: 'rds-mariadb',
  postgres: 'rds-postgres',
  'aurora-mysql': 'rds-aurora-mysql',
  'aurora-postgresql': 'rds-aurora-postgresql',
}

const stacks: Readonly<Record<string, string>> = {
  node: 'azure-node',
  python: 'azure-python',
  dotnet: 'azure-dotnet',
  dotnetcore: 'azure-dotnet',
  'dotnet-isolated': 'azure-dotnet',
  php: 'azure-php',
}

/** All series in the tables. */
export const allSeries: readonly string[] = [...new Set(rowsOf('lifecycle').map((row) => row['series']!))]

/** Versions of the operator come after those of the tables, in the order of the file. */
export class Lifecycles {
  private readonly bySeries = new Map<string, Version[]>()

  private readonly book: OwnValueTable

  constructor(book: OwnValueTable) {
    this.book = book
    for (const row of rowsOf('lifecycle')) this.add(row['series']!, row['version']!, row['end_of_support']!)
    for (const name of book.names('lifecycle')) {
      const at = name.indexOf('/')
      const [series, version] = [name.slice(0, at), name.slice(at + 1)]
      if (!this.bySeries.get(series)?.some((known) => known.version === version)) this.add(series, version, '')
    }
  }

  private add(series: string, version: string, end: string): void {
    const own = this.book.text('lifecycle', '', `${series}/${version}`, 'end_of_support')
    const versions = this.bySeries.get(series) ?? []
    versions.push({ series, version, end: own ?? end })
    this.bySeries.set(series, versions)
  }

  /** `today` is YYYY-MM-DD. Undefined if the product or version is not in the tables. */
  of(priced: PricedResource, today: string): Lifecycle | undefined {
    const said = saidOf(priced)
    const version = said && this.find(said)
    if (!said || !version) return undefined
    const next = this.after(version, today)
    return {
      daysToEnd: version.end === '' ? null : daysBetween(today, version.end),
      successor: next === undefined ? null : said.text.replace(said.part, () => next.version),
    }
  }

  private find({ series, version, isWhole }: ReportedVersion): Version | undefined {
    const all = [...this.bySeries].flatMap(([name, versions]) => (series(name) ? versions : []))
    if (isWhole) return all.find((known) => known.version === version)
    const fits = all.filter((known) => version === known.version || /^[._-]/.test(rest(version, known.version)))
    return fits.sort((a, b) => b.version.length - a.version.length)[0]
  }

  private after({ series, version }: Version, today: string): Version | undefined {
    const versions = this.bySeries.get(series) ?? []
    const later = versions.slice(versions.findIndex((known) => known.version === version) + 1)
    const lasts = (days: number) => (known: Version) => known.end === '' || daysBetween(today, known.end) >= days
    return later.find(lasts(daysEnough)) ?? later.findLast(lasts(0))
  }
}

const rest = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : '')

/** The version that a resource reports. */
interface ReportedVersion {
  readonly series: (name: string) => boolean
  readonly version: string
  /** Whether versions are compared as a whole; otherwise what follows a dot may differ. */
  readonly isWhole: boolean
  /** The reported text. Below: the part of it that is the version. */
  readonly text: string
  readonly part: string
}

const plain = (name: string, version: string | undefined, isWhole = false): ReportedVersion | undefined =>
  version === undefined
    ? undefined
    : {
        series: isWhole ? (series) => series.startsWith(name) : (series) => series === name,
        version,
        isWhole,
        text: version,
        part: version,
      }

type Reading = (spec: (name: string) => string | undefined) => ReportedVersion | undefined

const ofRds: Reading = (spec) => plain(rdsSeries[spec('engine')?.toLowerCase() ?? ''] ?? '', spec('engine_version'))

/** How the version is read, by resource type. */
const readings: Readonly<Record<string, Reading>> = {
  'aws-rds': ofRds,
  'aws-aurora-cluster': ofRds,
  'aws-eks': (spec) => plain('eks', spec('version')),
  'gcp-gke': (spec) => plain('gke', spec('version')),
  'azure-aks': (spec) => plain('aks', spec('version')),
  'aws-lambda': (spec) => plain('lambda-', spec('runtime'), true),
  'gcp-function': (spec) => plain('gcp-function-', spec('runtime'), true),
  'gcp-cloudsql': (spec) => saidOfCloudSql(spec('database_version')),
  'azure-web-app': (spec) => saidOfStack(spec('stack')),
  'azure-function-app': (spec) => saidOfStack(spec('runtime')),
}

const saidOf = (of: PricedResource): ReportedVersion | undefined =>
  readings[of.type]?.((name) => textAt(of, `specs.${name}`))

const saidOfCloudSql = (version: string | undefined): ReportedVersion | undefined =>
  plain(version?.startsWith('MYSQL') ? 'cloudsql-mysql' : 'cloudsql-postgres', version)

/** For example `NODE|18-lts`, `PYTHON|3.9`, `~4 node 18`. Version 6 of .NET is 6.0. */
function saidOfStack(text: string | undefined): ReportedVersion | undefined {
  const [, stack, version] =
    /(dotnet-isolated|dotnetcore|dotnet|node|python|php)[|:/ ]+v?(\d+(?:\.\d+)?)/i.exec(text ?? '') ?? []
  if (text === undefined || stack === undefined || version === undefined) return undefined
  const series = stacks[stack.toLowerCase()]
  const isShort = series !== 'azure-node' && !version.includes('.')
  return {
    series: (name) => name === series,
    version: isShort ? `${version}.0` : version,
    isWhole: true,
    text,
    part: version,
  }
}
