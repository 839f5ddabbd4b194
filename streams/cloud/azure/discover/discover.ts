/** Scans an Azure subscription: a few lists at a time, each for the whole subscription. */
import type { Fault } from '#engine/value/fault.ts'
import type { CloudAccount, Connector, DiscoveredResource } from '#streams/cloud/connector.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { Loss } from '#streams/cloud/scan/loss.ts'
import { permissionIn, Scan, type Pages, type ScanScope } from '#streams/cloud/scan/scan.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { SubscriptionScan, type Finder } from './finder.ts'
import { chains } from './index.ts'
import { children, type ChildrenOf } from './kubernetes.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

export interface AzureDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => AzureSession
  /** Finds what runs in a cluster; undefined: clusters are not scanned. */
  childrenOf?: ChildrenOf
  /** Milliseconds since 1970. */
  now?: () => number
}

const chainsAtOnce = 4

export const discoverAzure =
  (options: AzureDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new ListScan(options, account, { signal, only })

class ListScan extends Scan<AzureSession> {
  protected readonly noun = 'subscription'
  private readonly options: AzureDiscovery
  /** In Azure's spelling; empty: all. */
  private readonly regions: readonly string[]

  constructor(options: AzureDiscovery, account: CloudAccount, scope: ScanScope) {
    super(account, scope)
    this.options = options
    this.regions = account.regions.map(regionOf)
  }

  protected open(signal: AbortSignal): AzureSession {
    return this.options.open(this.account, signal)
  }

  protected covered(): readonly string[] {
    return [...this.regions, ...nowhere]
  }

  protected parts(session: AzureSession): Pages {
    const { now = Date.now } = this.options
    const notes = {
      missing: (permission: string) => this.missing.add(permission),
      lost: (types: readonly string[], fault: Fault) => this.lose(lossIn(types, fault), fault),
      told: (message: string) => this.remarks.push(message),
    }
    const place = new SubscriptionScan(session, notes, now())
    const parts = this.wanted().map((chain) => this.chain(place, session, chain))
    return mergeConcurrently(parts, chainsAtOnce)
  }

  /**
   * The finders of a chain that find a requested type, and the finder of clusters if a requested type may run in them.
   */
  private wanted(): readonly (readonly Finder[])[] {
    const { only, options } = this
    const [first = [], ...others] = chains()
    const all = [options.childrenOf ? [...first, children(options.childrenOf)] : first, ...others]
    if (!only) return all
    const finds = ({ types }: Finder) => types.some((type) => only.has(type))
    const leads = (chain: readonly Finder[], one: Finder) =>
      one.types.includes('azure-aks') &&
      chain.some((other) => finds(other) && other.types.some((type) => /^azure-(vmss|aks-pod)$/.test(type)))
    return all.map((chain) => chain.filter((one) => finds(one) || leads(chain, one)))
  }

  private async *chain(
    place: SubscriptionScan,
    session: AzureSession,
    finders: readonly Finder[],
  ): AsyncGenerator<DiscoveredResource[]> {
    for (const finder of finders) {
      const seen = () => {
        const parts = finder.seen?.(place) ?? [{ types: [...finder.types], regions: [] }]
        return parts.map((part) => this.coverageOf(part))
      }
      const lossOf = (fault: Fault) => lossIn(finder.types, fault)
      yield* this.read({ session, pages: finder.find(place), seen, lossOf })
    }
  }

  /** Lists contain all regions; resources outside the account's regions are not reported. */
  protected override reported(page: readonly DiscoveredResource[]): DiscoveredResource[] {
    const all = super.reported(page)
    const ours = new Set(this.covered())
    return this.regions.length === 0 ? all : all.filter(({ region }) => ours.has(region))
  }

  private coverageOf(part: ScanCoverage): ScanCoverage {
    return this.regions.length === 0 ? part : { ...part, regions: [...this.covered()] }
  }
}

/** Regions of global resources. */
const nowhere: readonly string[] = ['', 'global']

function lossIn(types: readonly string[], fault: Fault): Loss {
  const permission = permissionIn(fault)
  const why = permission === undefined ? fault.message : `the application is missing the permission ${permission}`
  return { types, why, regions: [] }
}
