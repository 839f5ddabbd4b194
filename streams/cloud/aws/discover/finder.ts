/** Interface of finders, each of which finds some types in one region of an account. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Cluster } from '@aws-sdk/client-eks'
import type { Fault } from '#engine/value/fault.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { Where } from '#streams/cloud/aws/map/resource.ts'
import { isNotOffered } from '#streams/cloud/aws/session/fault.ts'
import type { Modules, Service } from '#streams/cloud/aws/session/services.ts'
import type { AwsCommand, AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface Finder {
  /** All types that it may find; its coverage applies to all of them. */
  types: readonly string[]
  /** The first service that is called; faults name it. */
  service: Service
  /** `global`: called once per account, for all regions. */
  scope: 'region' | 'global'
  find: (place: RegionScan) => Pages
  /** Coverage, read after the pages. Left out: all its types in the region. */
  seen?: (place: RegionScan) => readonly ScanCoverage[]
}

/** Where a finder reports what it could not see, and continues. */
export interface Notes {
  missing: (permission: string) => void
  /** In the region being scanned, unless another is named. */
  lost: (types: readonly string[], fault: Fault, region?: string) => void
  /** A message for people. */
  told: (message: string) => void
}

/** Region of a resource that belongs to no region. */
export const noRegion = 'global'

/** Simultaneous calls of one finder, if each resource needs its own call. */
export const callsAtOnce = 8

/** One region of an account during a scan. */
export class RegionScan implements Where {
  readonly session: AwsSession
  readonly region: string
  readonly known: SharedFindings
  readonly notes: Notes
  private readonly refused = new Set<string>()

  constructor(session: AwsSession, region: string, notes: Notes, known: SharedFindings = nothingYet()) {
    this.session = session
    this.region = region
    this.notes = notes
    this.known = known
  }

  /** The same for one finder, in `region` if it has another: what one finder was refused, another still asks for. */
  ofFinder(region = this.region): RegionScan {
    return new RegionScan(this.session, region, this.notes, this.known)
  }

  get account(): string {
    return this.session.account.externalId
  }

  ask<S extends Service, O>(service: S, make: (module: Modules[S]) => AwsCommand<O>): Promise<O> {
    return this.session.ask(service, this.region, make)
  }

  pages<S extends Service, O>(
    service: S,
    make: (module: Modules[S], token: string | undefined) => AwsCommand<O>,
    tokenOf: (answer: O) => string | undefined,
  ): AsyncGenerator<O> {
    return this.session.pages(service, this.region, make, tokenOf)
  }

  /**
   * Makes an optional call. Undefined if it is not permitted, which is noted, or not offered; calls under the same name
   * are not repeated.
   * @throws every other error, because unknown must not be reported as none
   */
  async more<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.refused.has(name)) return undefined
    try {
      return await ask()
    } catch (error) {
      const permission = permissionIn(error)
      if (permission === undefined && !isNotOffered(error)) throw error
      this.refused.add(name)
      if (permission !== undefined) this.notes.missing(permission)
      return undefined
    }
  }
}

/** Results that earlier finders of a region leave for later ones; undefined or empty if they saw nothing. */
export interface SharedFindings {
  /** Uids of the owners of machines, by name of their Auto Scaling group. */
  groups: Map<string, string>
  /** Ids of root volumes of machines. */
  roots: Set<string> | undefined
  /** NAT gateways by network interface. */
  gateways: Map<string, string>
  clusters: readonly Cluster[] | undefined
  /** Regions of buckets, and those of them that failed. */
  buckets: { regions: Set<string>; lost: Set<string> }
}

const nothingYet = (): SharedFindings => ({
  groups: new Map(),
  roots: undefined,
  gateways: new Map(),
  clusters: undefined,
  buckets: { regions: new Set(), lost: new Set() },
})

/** Whether the fault means that the object does not exist, which for some calls is an answer. */
const isAbsent = (error: unknown): boolean => (error as { code?: string }).code === 'not_found'

/** Awaits `ask`; undefined if the object does not exist. */
export async function present<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
