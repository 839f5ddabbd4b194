/**
 * What there is in a subscription of Azure: lists of the whole of it, a few at once. What was denied, or lost on the way, is not seen,
 * and the rest is; a scan ends early only where the cloud takes the credentials no more.
 */
import { Fault } from '#engine/value/fault.ts'
import {
  cloudFault,
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type DiscoveredResource,
  type Discovery,
} from '#streams/cloud/connector.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { permissionIn, SubscriptionScan, type Finder, type Pages } from './finder.ts'
import { chains } from './index.ts'
import { children, type ChildrenOf } from './kubernetes.ts'
import { lossesIn, type Loss } from './loss.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

export interface AzureDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => AzureSession
  /** Finds what runs in a cluster; left out: nobody looks. */
  childrenOf?: ChildrenOf
  /** Milliseconds since 1970. */
  now?: () => number
}

const chainsAtOnce = 4
/** The most that one scan takes. */
const resourcesMax = 1_000_000

export const discoverAzure =
  (options: AzureDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new Scan(options, account, { signal, only })

interface DiscoveryScope {
  signal: AbortSignal | undefined
  only: ReadonlySet<string> | undefined
}

class Scan implements Discovery {
  readonly pages: Pages
  private readonly options: AzureDiscovery
  private readonly account: CloudAccount
  /** As Azure writes them; empty: all. */
  private readonly regions: readonly string[]
  private readonly signal: AbortSignal | undefined
  /** Types that are wanted; all unless given. */
  private readonly only: ReadonlySet<string> | undefined
  private readonly seenParts: ScanCoverage[] = []
  private readonly missing = new Set<string>()
  private readonly losses: Loss[] = []
  private readonly remarks: string[] = []
  private isOver = false
  private readonly stop = new AbortController()

  constructor(options: AzureDiscovery, account: CloudAccount, { signal, only }: DiscoveryScope) {
    this.options = options
    this.account = account
    this.regions = account.regions.map(regionOf)
    this.signal = signal
    this.only = only
    this.pages = this.scan()
  }

  /** Nothing until all pages are read. */
  get seen(): readonly ScanCoverage[] {
    return this.isOver ? this.seenParts : []
  }

  get missingPermissions(): readonly string[] {
    return [...this.missing].toSorted()
  }

  get message(): string | undefined {
    return lossesIn(this.losses, this.remarks)
  }

  private async *scan(): AsyncGenerator<DiscoveredResource[]> {
    const { signal } = this.stop
    const session = this.options.open(this.account, this.signal ? AbortSignal.any([this.signal, signal]) : signal)
    const { now = Date.now } = this.options
    const place = new SubscriptionScan(
      session,
      {
        missing: (permission) => this.missing.add(permission),
        lost: (types, fault) => this.losses.push({ types, fault }),
        told: (message) => this.remarks.push(message),
      },
      now(),
    )
    try {
      const parts = this.wanted().map((chain) => this.chain(place, chain))
      yield* this.taken(mergeConcurrently(parts, chainsAtOnce))
      const { regions } = this
      // What has no region is of the subscription as a whole.
      if (regions.length > 0 && !this.only)
        this.seenParts.push({ types: [], regions: [], outsideOf: [...regions, ...nowhere] })
      this.isOver = true
    } catch (error) {
      if (!this.signal?.aborted) throw error
    }
  }

  /** Whoever reads no further does not wait for what is still asked. */
  private async *taken(pages: Pages): AsyncGenerator<DiscoveredResource[]> {
    let count = 0
    for await (const page of pages) {
      count += page.length
      let isTaken = count <= resourcesMax
      try {
        if (!isTaken) throw tooMany()
        isTaken = false
        if (page.length > 0) yield page
        isTaken = true
      } finally {
        if (!isTaken) this.stop.abort()
      }
    }
  }

  /** Those of a chain that find something that is wanted, and the clusters that something wanted may run in. */
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

  private async *chain(place: SubscriptionScan, finders: readonly Finder[]): Pages {
    for (const finder of finders) yield* this.found(place, finder)
  }

  /** The pages of one finder, which counts as seen once the last of them was read. */
  private async *found(place: SubscriptionScan, finder: Finder): Pages {
    try {
      for await (const page of finder.find(place)) yield this.ours(page)
      const seen = finder.seen?.(place) ?? [{ types: [...finder.types], regions: [] }]
      this.seenParts.push(...seen.flatMap((part) => this.covered(part)))
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error)) {
        this.stop.abort()
        throw error
      }
      const permission = permissionIn(error)
      if (permission !== undefined) this.missing.add(permission)
      this.losses.push({ types: finder.types, fault: error })
    }
  }

  /** Answers may name a thing twice: the last says it. Of what was not asked for, and lies elsewhere, nothing is told. */
  private ours(page: readonly DiscoveredResource[]): DiscoveredResource[] {
    const { regions } = this
    const distinct = new Map(page.map((one) => [one.resourceUid, one]))
    return [...distinct.values()].filter(
      ({ type, region }) =>
        (this.only?.has(type) ?? true) &&
        (regions.length === 0 || regions.includes(region) || nowhere.includes(region)),
    )
  }

  /** What was found and not asked for was not told: it does not count as seen. */
  private covered(part: ScanCoverage): ScanCoverage[] {
    const { regions, only } = this
    const types = only ? part.types.filter((type) => only.has(type)) : part.types
    if (types.length === 0) return []
    return [{ ...part, types, regions: regions.length === 0 ? part.regions : [...regions, ...nowhere] }]
  }
}

/** Regions of what is everywhere. */
const nowhere: readonly string[] = ['', 'global']

const tooMany = (): Fault =>
  cloudFault('user_action', 'too_many_resources', `The subscription has more than ${resourcesMax} resources.`, {
    fixHint: 'Limit the regions of the account: PATCH /cloud-accounts/{cloudAccountID}.',
  })
