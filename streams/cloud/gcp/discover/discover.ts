/**
 * What there is in a project of Google Cloud: its services side by side. What was denied, or lost on the way, is not seen, and the rest
 * is; a scan ends early only where the cloud takes the credentials no more.
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
import { children, type ChildrenOf } from './children.ts'
import { permissionIn, ProjectScan, Search, seenBut, type Finder, type Pages } from './finder.ts'
import { chains, prerequisiteTypes } from './index.ts'
import { lossesIn, type Loss } from './loss.ts'
import { wide } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export interface GcpDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => GcpSession
  /** Finds what runs in a cluster; left out: nobody looks. */
  childrenOf?: ChildrenOf
}

const servicesAtOnce = 4
/** The most that one scan takes. */
const resourcesMax = 1_000_000

export const discoverGcp =
  (options: GcpDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new Scan(options, account, { signal, only })

interface DiscoveryScope {
  signal: AbortSignal | undefined
  only: ReadonlySet<string> | undefined
}

class Scan implements Discovery {
  readonly pages: Pages
  private readonly options: GcpDiscovery
  private readonly account: CloudAccount
  private readonly signal: AbortSignal | undefined
  /** Types that are wanted; all unless given. */
  private readonly only: ReadonlySet<string> | undefined
  private readonly seenParts: ScanCoverage[] = []
  private readonly missing = new Set<string>()
  private readonly losses: Loss[] = []
  private readonly remarks: string[] = []
  private isOver = false
  private readonly stop = new AbortController()

  constructor(options: GcpDiscovery, account: CloudAccount, { signal, only }: DiscoveryScope) {
    this.options = options
    this.account = account
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
    try {
      const session = this.options.open(this.account, this.signal ? AbortSignal.any([this.signal, signal]) : signal)
      const place = new ProjectScan(session, {
        missing: (permission) => void this.missing.add(permission),
        lost: (types, why, regions = []) => void this.losses.push({ types, why, regions }),
        told: (message) => void this.remarks.push(message),
      })
      yield* this.taken(
        mergeConcurrently(
          this.wanted().map((chain) => this.chain(place, chain)),
          servicesAtOnce,
        ),
      )
      const { regions } = this.account
      if (regions.length > 0 && !this.only)
        this.seenParts.push({ types: [], regions: [], outsideOf: [...regions, ...wide] })
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

  /** Those that find something that is wanted, and those that these hang on. */
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

  private async *chain(place: ProjectScan, finders: readonly Finder[]): Pages {
    for (const finder of finders) yield* this.found(place, finder)
  }

  /** The pages of one finder, which counts as seen once the last of them was read. */
  private async *found(place: ProjectScan, finder: Finder): Pages {
    const search = new Search(finder.types, place.notes)
    try {
      for await (const page of finder.find(place, search))
        yield distinct(page).filter(({ type }) => this.only?.has(type) ?? true)
      this.seenParts.push(...this.seenBy(place, finder, search))
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error)) {
        this.stop.abort()
        throw error
      }
      const permission = permissionIn(error)
      if (permission !== undefined) this.missing.add(permission)
      // Of a service that is not switched on there is nothing, and nothing to say.
      if (error.code === 'service_disabled') return
      const why =
        permission === undefined ? error.message : `the service account is missing the permission ${permission}`
      this.losses.push({ types: finder.types, why, regions: [] })
    }
  }

  private seenBy(place: ProjectScan, finder: Finder, search: Search): readonly ScanCoverage[] {
    if (search.isPartial) return []
    const parts = finder.seen ? finder.seen(place) : seenBut(finder.types, search.lost, this.account.regions)
    const { only } = this
    if (!only) return parts
    return parts
      .map((part) => ({ ...part, types: part.types.filter((type) => only.has(type)) }))
      .filter(({ types }) => types.length > 0)
  }
}

/** Answers may name a thing twice: the last says it. */
const distinct = (page: readonly DiscoveredResource[]): DiscoveredResource[] => [
  ...new Map(page.map((one) => [one.resourceUid, one])).values(),
]

const tooMany = (): Fault =>
  cloudFault('user_action', 'too_many_resources', `The project has more than ${resourcesMax} resources.`, {
    fixHint: 'Limit the regions of the account: PATCH /cloud-accounts/{cloudAccountID}.',
  })
