/** How one kind of thing is looked for in a project. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Group } from '#streams/cloud/gcp/answer/compute.ts'
import type { Cluster } from '#streams/cloud/gcp/answer/service.ts'
import { regionIn, wide } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpCall, GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { ScanCoverage } from '#streams/refresh.ts'

export interface Finder {
  /** All that it may find: they are seen together, or not. */
  types: readonly string[]
  find: (place: ProjectScan, search: Search) => Pages
  /** What was seen, read behind the pages; left out: all of its types but where they were lost. */
  seen?: (place: ProjectScan) => readonly ScanCoverage[]
}

/** Where a finder tells of what it could not see, and goes on without. */
export interface Notes {
  missing: (permission: string) => void
  /** In all regions, unless some are named. */
  lost: (types: readonly string[], why: string, regions?: readonly string[]) => void
  /** For people, as it stands. */
  told: (message: string) => void
}

/** Calls of one finder that are made at once, where each resource has one of its own. */
export const callsAtOnce = 8

/** One finder at work: the regions that did not answer it. */
export class Search {
  readonly types: readonly string[]
  readonly lost = new Set<string>()
  isPartial = false
  private readonly notes: Notes

  constructor(types: readonly string[], notes: Notes) {
    this.types = types
    this.notes = notes
  }

  /** `places`: zones, regions or scopes of lists. */
  lose(places: readonly string[]): void {
    const fresh = [...new Set(places.map(regionIn))].filter((region) => !this.lost.has(region))
    if (fresh.length === 0) return
    for (const region of fresh) this.lost.add(region)
    this.notes.lost(this.types, 'Google did not respond', fresh)
  }

  /** Of what was lost nobody says where it is: then nothing counts as seen. */
  losePart(why: string): void {
    if (!this.isPartial) this.notes.lost(this.types, why)
    this.isPartial = true
  }
}

/** A group, and where it was listed. */
export interface FoundGroup {
  group: Group
  scope: string
}

/** What finders leave to others; undefined what was not seen. */
export interface SharedFindings {
  groups?: Promise<{ byPath: ReadonlyMap<string, FoundGroup>; lost: readonly string[] }>
  clusters?: readonly Cluster[]
  /** Uids of node pools, by the paths of their groups. */
  pools: Map<string, string>
  /** Regions in which machines of clusters of Dataproc are. */
  hadoopRegions?: ReadonlySet<string>
}

/** A project while it is looked through. */
export class ProjectScan {
  readonly session: GcpSession
  readonly notes: Notes
  readonly known: SharedFindings = { pools: new Map() }
  private readonly refused = new Set<string>()

  constructor(session: GcpSession, notes: Notes) {
    this.session = session
    this.notes = notes
  }

  get project(): string {
    return this.session.project
  }

  /** Whether the account covers a region; what is of no single one it always does. */
  covers(region: string): boolean {
    const { regions } = this.session.account
    return regions.length === 0 || regions.includes(region) || wide.includes(region)
  }

  ask<S extends TSchema>(call: GcpCall, schema: S): Promise<Static<S>> {
    return this.session.ask(call, schema)
  }

  pages<S extends TSchema>(call: GcpCall, schema: S): AsyncGenerator<Static<S>> {
    return this.session.pages(call, schema)
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

/** Types in all regions of the account but those that were lost. */
export function seenBut(
  types: readonly string[],
  lost: ReadonlySet<string>,
  regions: readonly string[],
): ScanCoverage[] {
  if (regions.length === 0)
    return [{ types: [...types], regions: [], ...(lost.size > 0 && { outsideOf: [...lost].toSorted() }) }]
  const left = [...regions, ...wide].filter((region) => !lost.has(region))
  return [{ types: [...types], regions: left }]
}

/** `ask`, or undefined where what is asked for is not there, or no more. */
export async function present<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return undefined
    throw error
  }
}
