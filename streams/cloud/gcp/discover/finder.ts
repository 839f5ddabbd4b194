/** Interface of finders, each of which finds some types in a project. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Group } from '#streams/cloud/gcp/answer/compute.ts'
import type { Cluster } from '#streams/cloud/gcp/answer/service.ts'
import type { Attachment } from '#streams/cloud/gcp/map/compute.ts'
import { regionIn, wide } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpCall, GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { ScanCoverage } from '#streams/refresh.ts'

export interface Finder {
  /** All types that it may find; its coverage applies to all of them. */
  types: readonly string[]
  find: (place: ProjectScan, search: Search) => Pages
  /** Coverage, read after the pages. Left out: all its types except in regions that failed. */
  seen?: (place: ProjectScan) => readonly ScanCoverage[]
}

/** Where a finder reports what it could not see, and continues. */
export interface Notes {
  missing: (permission: string) => void
  /** In all regions, unless some are named. */
  lost: (types: readonly string[], why: string, regions?: readonly string[]) => void
  /** A message for people. */
  told: (message: string) => void
}

/** Simultaneous calls of one finder, if each resource needs its own call. */
export const callsAtOnce = 8

/** The state of one finder during a scan: the regions that did not answer. */
export class Search {
  readonly types: readonly string[]
  readonly lost = new Set<string>()
  isPartial = false
  private readonly notes: Notes

  constructor(types: readonly string[], notes: Notes) {
    this.types = types
    this.notes = notes
  }

  /** `places` are zones, regions or scopes of lists. */
  lose(places: readonly string[]): void {
    const fresh = [...new Set(places.map(regionIn))].filter((region) => !this.lost.has(region))
    if (fresh.length === 0) return
    for (const region of fresh) this.lost.add(region)
    this.notes.lost(this.types, 'Google did not respond', fresh)
  }

  /** If the location of what was lost is unknown, nothing counts as seen. */
  losePart(why: string): void {
    if (!this.isPartial) this.notes.lost(this.types, why)
    this.isPartial = true
  }
}

/** An instance group, and where it was listed. */
export interface FoundGroup {
  group: Group
  scope: string
}

/** Results that finders leave for others; undefined or empty if they saw nothing. */
export interface SharedFindings {
  groups?: Promise<{ byPath: ReadonlyMap<string, FoundGroup>; lost: readonly string[] }>
  clusters?: readonly Cluster[]
  /** Uids of node pools, by path of their instance group. */
  pools: Map<string, string>
  /** By path of the disk. */
  attachments?: ReadonlyMap<string, Attachment>
  /** How many disks were made from an image, by its path. */
  imagesOfDisks?: ReadonlyMap<string, number>
  /** Regions with machines of Dataproc clusters. */
  hadoopRegions?: ReadonlySet<string>
}

/** A project during a scan. */
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

  /** Whether the account covers a region; always true for global resources. */
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
   * Makes an optional call. Undefined if it is not permitted; this is noted, and calls under the same name are not
   * repeated.
   * @throws every other error, because unknown must not be reported as none
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

/** Coverage of the types in all regions of the account except those that failed. */
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

/** Awaits `ask`; undefined if the object does not exist. */
export async function present<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return undefined
    throw error
  }
}
