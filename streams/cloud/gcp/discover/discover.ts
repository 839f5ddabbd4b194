/** Scans a Google Cloud project, several services at a time. */
import type { Fault } from '#engine/value/fault.ts'
import type { CloudAccount, Connector, DiscoveredResource } from '#streams/cloud/connector.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { Loss } from '#streams/cloud/scan/loss.ts'
import { permissionIn, Scan, type Pages, type ScanScope } from '#streams/cloud/scan/scan.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { children, type ChildrenOf } from './children.ts'
import { ProjectScan, Search, seenBut, type Finder } from './finder.ts'
import { chains, prerequisiteTypes } from './index.ts'
import { wide } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export interface GcpDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => GcpSession
  /** Finds what runs in a cluster; undefined: clusters are not scanned. */
  childrenOf?: ChildrenOf
}

const servicesAtOnce = 4

export const discoverGcp =
  (options: GcpDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new ServiceScan(options, account, { signal, only })

class ServiceScan extends Scan<GcpSession> {
  protected readonly noun = 'project'
  private readonly options: GcpDiscovery

  constructor(options: GcpDiscovery, account: CloudAccount, scope: ScanScope) {
    super(account, scope)
    this.options = options
  }

  protected open(signal: AbortSignal): GcpSession {
    return this.options.open(this.account, signal)
  }

  protected covered(): readonly string[] {
    return [...this.account.regions, ...wide]
  }

  protected parts(session: GcpSession): Pages {
    const place = new ProjectScan(session, {
      missing: (permission) => void this.missing.add(permission),
      lost: (types, why, regions = []) => this.lose({ types, why, regions }),
      told: (message) => void this.remarks.push(message),
    })
    return mergeConcurrently(
      this.wanted().map((chain) => this.chain(place, chain)),
      servicesAtOnce,
    )
  }

  /** The finders of requested types, and the finders whose results these need. */
  private wanted(): (readonly Finder[])[] {
    const { childrenOf } = this.options
    const [first = [], ...others] = chains
    const all = [childrenOf ? [...first, children(childrenOf)] : first, ...others]
    const { only } = this
    if (!only) return all
    const wanted = new Set(only)
    for (const chain of all)
      for (const { types } of chain.toReversed())
        if (types.some((type) => wanted.has(type)))
          for (const type of types) for (const one of prerequisiteTypes[type] ?? []) wanted.add(one)
    return all.map((chain) => chain.filter(({ types }) => types.some((type) => wanted.has(type))))
  }

  private async *chain(place: ProjectScan, finders: readonly Finder[]): AsyncGenerator<DiscoveredResource[]> {
    for (const finder of finders) {
      const search = new Search(finder.types, place.notes)
      const seen = () => this.coverageOf(place, finder, search)
      const lossOf = (fault: Fault) => lossIn(finder, fault)
      yield* this.read({ session: place.session, pages: finder.find(place, search), seen, lossOf })
    }
  }

  private coverageOf(place: ProjectScan, finder: Finder, search: Search): readonly ScanCoverage[] {
    if (search.isPartial) return []
    return finder.seen ? finder.seen(place) : seenBut(finder.types, search.lost, this.account.regions)
  }
}

/** If a service is disabled, it has no resources, so nothing was lost. */
function lossIn({ types }: Finder, fault: Fault): Loss | undefined {
  if (fault.code === 'service_disabled') return undefined
  const permission = permissionIn(fault)
  const why = permission === undefined ? fault.message : `the service account is missing the permission ${permission}`
  return { types, why, regions: [] }
}
