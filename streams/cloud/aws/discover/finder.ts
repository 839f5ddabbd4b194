/** How one kind of thing is looked for in one region of an account. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Cluster } from '@aws-sdk/client-eks'
import type { Fault } from '#engine/value/fault.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { Where } from '#streams/cloud/aws/map/resource.ts'
import type { Modules, Service } from '#streams/cloud/aws/session/services.ts'
import type { AwsCommand, AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface Finder {
  /** All that it may find: they are seen together, or not. */
  types: readonly string[]
  /** Which is asked first; what it lacks is told of it. */
  service: Service
  /** `global`: asked once an account, for all regions. */
  scope: 'region' | 'global'
  find: (place: RegionScan) => Pages
  /** What was seen, read behind the pages; left out: all of its types in the region. */
  seen?: (place: RegionScan) => readonly ScanCoverage[]
}

/** Where a finder tells of what it could not see, and goes on without. */
export interface Notes {
  missing: (permission: string) => void
  /** In the region that is looked through, unless another is named. */
  lost: (types: readonly string[], fault: Fault, region?: string) => void
  /** For people, as it stands. */
  told: (message: string) => void
}

/** Calls of one finder that are made at once, where each resource has one of its own. */
export const callsAtOnce = 8

/** One region of an account while it is looked through. */
export class RegionScan implements Where {
  readonly session: AwsSession
  readonly region: string
  readonly known: SharedFindings = {
    groups: new Map(),
    roots: undefined,
    gateways: new Map(),
    clusters: undefined,
    buckets: { regions: new Set(), lost: new Set() },
  }
  readonly notes: Notes
  private readonly refused = new Set<string>()

  constructor(session: AwsSession, region: string, notes: Notes) {
    this.session = session
    this.region = region
    this.notes = notes
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
   * What may be done without: undefined where it is not allowed, which is noted, and not asked again under the name.
   * @throws whatever else goes wrong: what is not known is not told as if there were none
   */
  async more<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.refused.has(name)) return undefined
    try {
      return await ask()
    } catch (error) {
      const permission = permissionIn(error)
      if (permission === undefined) throw error
      this.refused.add(name)
      this.notes.missing(permission)
      return undefined
    }
  }
}

/** What earlier finders of a region leave to later ones; nothing of what was not seen. */
export interface SharedFindings {
  /** Uids of what machines belong to, by the names of their Auto Scaling groups. */
  groups: Map<string, string>
  /** Volumes that machines start from. */
  roots: Set<string> | undefined
  /** NAT gateways by their network interfaces. */
  gateways: Map<string, string>
  clusters: readonly Cluster[] | undefined
  /** Regions of buckets, and those of them that were lost. */
  buckets: { regions: Set<string>; lost: Set<string> }
}

/** Whether the fault says that there is no such thing: for some questions that is an answer. */
const isAbsent = (error: unknown): boolean => (error as { code?: string }).code === 'not_found'

/** `ask`, or undefined where what is asked for is not there, or no more. */
export async function present<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
