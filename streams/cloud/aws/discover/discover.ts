/**
 * What there is in an account of AWS: regions side by side, in each of them a few services. What was denied, or lost on the way, is
 * not seen, and the rest is; a scan ends early only where the cloud takes the credentials no more.
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
import { permissionIn, RegionScan, type Finder, type Pages } from './finder.ts'
import { chains, globalFinders } from './index.ts'
import { lossesIn, type Loss } from './loss.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface AwsDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => AwsSession
  /** Finds what runs in a cluster; left out: nobody looks. */
  childrenOf?: ChildrenOf
}

const regionsAtOnce = 4
const servicesAtOnce = 2
/** The most that one scan takes. */
const resourcesMax = 1_000_000
/** A region in which so much was lost and nothing seen is down: the rest of it is not waited for. */
const lostMax = 2

export const discoverAws =
  (options: AwsDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new Scan(options, account, { signal, only })

interface DiscoveryScope {
  signal: AbortSignal | undefined
  only: ReadonlySet<string> | undefined
}

class Scan implements Discovery {
  readonly pages: Pages
  private readonly options: AwsDiscovery
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

  constructor(options: AwsDiscovery, account: CloudAccount, { signal, only }: DiscoveryScope) {
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
    const session = this.options.open(this.account, this.signal ? AbortSignal.any([this.signal, signal]) : signal)
    try {
      const regions = await this.regionsOf(session)
      const parts = [
        this.part(session, globalRegion, [this.wanted(globalFinders)]),
        ...regions.map((one) => this.region(session, one)),
      ]
      yield* this.taken(mergeConcurrently(parts, regionsAtOnce))
      // What has no region is of the account as a whole.
      const { regions: covered } = this.account
      if (covered.length > 0 && !this.only) this.seenParts.push({ types: [], regions: [], outsideOf: [...covered, ''] })
      this.isOver = true
    } catch (error) {
      if (!this.signal?.aborted) throw error
    } finally {
      session.close()
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

  /** Those of the account, or all that it may use; none where it may not be asked which. */
  private async regionsOf(session: AwsSession): Promise<readonly string[]> {
    if (this.account.regions.length > 0) return this.account.regions
    try {
      const { Regions } = await session.ask('ec2', globalRegion, (m) => new m.DescribeRegionsCommand({}))
      return (Regions ?? []).flatMap(({ RegionName }) => RegionName ?? []).toSorted()
    } catch (error) {
      const permission = permissionIn(error)
      if (permission === undefined) throw error
      this.missing.add(permission)
      this.losses.push({ region: '', types: [], fault: error as Fault })
      return []
    }
  }

  private region(session: AwsSession, region: string): Pages {
    const { childrenOf } = this.options
    const [first = [], ...others] = chains
    const all = [childrenOf ? [...first, children(childrenOf)] : first, ...others]
    return this.part(
      session,
      region,
      all.map((chain) => this.wanted(chain)),
    )
  }

  /** Those of a chain that find something that is wanted, and the clusters that something wanted may run in. */
  private wanted(chain: readonly Finder[]): readonly Finder[] {
    const { only } = this
    if (!only) return chain
    const finds = ({ types }: Finder) => types.some((type) => only.has(type))
    const isInClusters = chain.some((one) => one.types.includes('aws-eks-pod') && finds(one))
    return chain.filter((one) => finds(one) || (isInClusters && one.types.includes('aws-eks')))
  }

  private part(session: AwsSession, region: string, some: readonly (readonly Finder[])[]): Pages {
    const place = new RegionScan(session, region, {
      missing: (permission) => this.missing.add(permission),
      lost: (types, fault, where = region) => this.losses.push({ region: where, types, fault }),
      told: (message) => this.remarks.push(message),
    })
    const tally: Tally = { seen: 0, lost: 0 }
    return mergeConcurrently(
      some.map((chain) => this.chain(place, chain, tally)),
      servicesAtOnce,
    )
  }

  private async *chain(place: RegionScan, finders: readonly Finder[], tally: Tally): Pages {
    for (const finder of finders) {
      if (tally.seen === 0 && tally.lost >= lostMax) this.losses.push({ region: place.region, types: finder.types })
      else yield* this.found(place, finder, tally)
    }
  }

  /** The pages of one finder, which counts as seen once the last of them was read. */
  private async *found(place: RegionScan, finder: Finder, tally: Tally): Pages {
    try {
      for await (const page of finder.find(place))
        yield distinct(page).filter(({ type }) => this.only?.has(type) ?? true)
      tally.seen++
      this.seenParts.push(...seenBy(finder, place))
    } catch (error) {
      if (!(error instanceof Fault) || (isCredentialsRefused(error) && !(await isStillKnown(place.session)))) {
        this.stop.abort()
        throw error
      }
      const permission = permissionIn(error)
      if (permission !== undefined) this.missing.add(permission)
      // Whoever refuses, or asks one to be slower, is there.
      else if (error.code !== 'throttled') tally.lost++
      this.losses.push({ region: finder.scope === 'global' ? '' : place.region, types: finder.types, fault: error })
    }
  }
}

/** Answers may name a thing twice: the last says it. */
const distinct = (page: readonly DiscoveredResource[]): DiscoveredResource[] => [
  ...new Map(page.map((one) => [one.resourceUid, one])).values(),
]

/** Of one region. */
interface Tally {
  seen: number
  lost: number
}

function seenBy(finder: Finder, place: RegionScan): readonly ScanCoverage[] {
  if (finder.seen) return finder.seen(place)
  const regions = finder.scope === 'global' ? place.session.account.regions : [place.region]
  return [{ types: [...finder.types], regions: [...regions] }]
}

/** A region that the account has not enabled refuses everybody: whether it is the credentials, the account itself says. */
export async function isStillKnown(session: AwsSession): Promise<boolean> {
  try {
    await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
    return true
  } catch (error) {
    if (isCredentialsRefused(error)) return false
    throw error
  }
}

const tooMany = (): Fault =>
  cloudFault('user_action', 'too_many_resources', `The account has more than ${resourcesMax} resources.`, {
    fixHint: 'Limit the regions of the account: PATCH /cloud-accounts/{cloudAccountID}.',
  })
