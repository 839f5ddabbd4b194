/** Scans an AWS account: several regions at a time, and in each of them a few services at a time. */
import type { Fault } from '#engine/value/fault.ts'
import {
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type DiscoveredResource,
} from '#streams/cloud/connector.ts'
import { mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import type { Loss } from '#streams/cloud/scan/loss.ts'
import { permissionIn, Scan, type Pages, type ScanScope } from '#streams/cloud/scan/scan.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { children, type ChildrenOf } from './children.ts'
import { noRegion, RegionScan, type Finder } from './finder.ts'
import { chains, globalFinders } from './index.ts'
import { isNotOffered, isWord } from '#streams/cloud/aws/session/fault.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface AwsDiscovery {
  open: (account: CloudAccount, signal: AbortSignal) => AwsSession
  /** Finds what runs in a cluster; undefined: clusters are not scanned. */
  childrenOf?: ChildrenOf
}

const regionsAtOnce = 4
const servicesAtOnce = 2
/** If this many services of a region failed and none succeeded, the region is down and the rest is skipped. */
const lostMax = 2

export const discoverAws =
  (options: AwsDiscovery): Connector['discover'] =>
  (account, signal, only) =>
    new AccountScan(options, account, { signal, only })

/** Numbers of finders in a region that succeeded and failed. */
interface Tally {
  seen: number
  lost: number
}

class AccountScan extends Scan<AwsSession> {
  protected readonly noun = 'account'
  private readonly options: AwsDiscovery

  constructor(options: AwsDiscovery, account: CloudAccount, scope: ScanScope) {
    super(account, scope)
    this.options = options
  }

  protected open(signal: AbortSignal): AwsSession {
    return this.options.open(this.account, signal)
  }

  protected override close(session: AwsSession): void {
    session.close()
  }

  protected covered(): readonly string[] {
    return [...this.account.regions, '', noRegion]
  }

  protected async *parts(session: AwsSession): AsyncGenerator<DiscoveredResource[]> {
    const regions = await this.regionsOf(session)
    yield* mergeConcurrently(
      [
        this.region(session, globalRegion, [this.wanted(globalFinders)]),
        ...regions.map((one) => this.region(session, one, this.regionalChains())),
      ],
      regionsAtOnce,
    )
  }

  /** The account's regions, or all regions that are enabled for it; none if it may not list them. */
  private async regionsOf(session: AwsSession): Promise<readonly string[]> {
    if (this.account.regions.length > 0) return this.account.regions
    try {
      const { Regions } = await session.ask('ec2', globalRegion, (m) => new m.DescribeRegionsCommand({}))
      return (Regions ?? []).flatMap(({ RegionName }) => RegionName ?? []).toSorted()
    } catch (error) {
      const permission = permissionIn(error)
      if (permission === undefined) throw error
      this.missing.add(permission)
      this.lose(regionLoss('', [], error as Fault), error as Fault)
      return []
    }
  }

  private regionalChains(): (readonly Finder[])[] {
    const { childrenOf } = this.options
    const [first = [], ...others] = chains
    const all = [childrenOf ? [...first, children(childrenOf)] : first, ...others]
    return all.map((chain) => this.wanted(chain))
  }

  /**
   * The finders of a chain that find a requested type, and the finder of clusters if a requested type may run in them.
   */
  private wanted(chain: readonly Finder[]): readonly Finder[] {
    const { only } = this
    if (!only) return chain
    const finds = ({ types }: Finder) => types.some((type) => only.has(type))
    const isInClusters = chain.some((one) => one.types.includes('aws-eks-pod') && finds(one))
    return chain.filter((one) => finds(one) || (isInClusters && one.types.includes('aws-eks')))
  }

  private region(session: AwsSession, region: string, some: readonly (readonly Finder[])[]): Pages {
    const tally: Tally = { seen: 0, lost: 0 }
    const place = new RegionScan(session, region, {
      missing: (permission) => this.missing.add(permission),
      lost: (types, fault, where = region) => this.lose(regionLoss(where, types, fault), fault),
      told: (message) => this.remarks.push(message),
    })
    return mergeConcurrently(
      some.map((chain) => this.chain(place, chain, tally)),
      servicesAtOnce,
    )
  }

  private async *chain(
    place: RegionScan,
    finders: readonly Finder[],
    tally: Tally,
  ): AsyncGenerator<DiscoveredResource[]> {
    const { region, session } = place
    for (const finder of finders) {
      const own = place.ofFinder()
      if (tally.seen === 0 && tally.lost >= lostMax) {
        this.lose(regionLoss(region, finder.types))
        continue
      }
      const seen = () => {
        tally.seen++
        return coverageOf(finder, own)
      }
      const lossOf = (fault: Fault) => {
        // Not every service is offered in every region: its name has no address there, or it says so. It has nothing to find.
        if (isNotOffered(fault) || (tally.seen > 0 && isWord(fault, /^ENOTFOUND$/))) return undefined
        // A region that refuses or throttles calls is not down.
        if (permissionIn(fault) === undefined && fault.code !== 'throttled') tally.lost++
        return regionLoss(finder.scope === 'global' ? '' : region, finder.types, fault)
      }
      yield* this.read({ session, pages: finder.find(own), seen, lossOf })
    }
  }

  /**
   * A region that is not enabled refuses all calls, so the account itself is queried to see whether the credentials are
   * refused.
   */
  protected override async endsBy(fault: Fault, session: AwsSession): Promise<boolean> {
    return isCredentialsRefused(fault) && !(await isStillKnown(session))
  }
}

function coverageOf(finder: Finder, place: RegionScan): readonly ScanCoverage[] {
  if (finder.seen) return finder.seen(place)
  const regions = finder.scope === 'global' ? place.session.account.regions : [place.region]
  return [{ types: [...finder.types], regions: [...regions] }]
}

/** Messages of AWS faults begin with the call: `service Operation in region: `. */
const callPrefix = /^([\w-]+ \w+)(?: in [a-z0-9-]+)?: /

/** Without a fault, the region is down. An empty region means the whole account. */
export function regionLoss(region: string, types: readonly string[], fault?: Fault): Loss {
  const regions = region === '' ? [] : [region]
  if (!fault) return { types, regions, why: 'the region did not respond, so it was skipped' }
  const permission = permissionIn(fault)
  if (permission !== undefined) {
    const lack = { permission, who: 'the role', command: 'tidemark account policy aws' }
    return { types, regions, why: `the role is missing the permission ${permission}`, lack }
  }
  const [prefix = '', call = ''] = callPrefix.exec(fault.message) ?? []
  return { types, regions, why: fault.message.slice(prefix.length), call }
}

/** Whether AWS still accepts the credentials. */
export async function isStillKnown(session: AwsSession): Promise<boolean> {
  try {
    await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
    return true
  } catch (error) {
    if (isCredentialsRefused(error)) return false
    throw error
  }
}
