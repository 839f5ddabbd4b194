/** What the streams hold of one organization: every subject names it by its third token, those of lanes by their fourth. */
import type { JetStreamManager } from '@nats-io/jetstream'

/** A stream, and the subjects in it that are of the organization. */
export interface OrganizationSubjects {
  stream: string
  filters: string[]
  /** Messages up to it may go: a lane must find what comes next. Undefined: all. */
  upTo?: number
}

export const laneFilters = (lane: number, org: string): string[] => [`lane.${lane}.*.${org}.*`]

/** `first` begins the subjects of the outlet. */
export const outletFilters = (first: string, org: string): string[] => [`${first}.*.${org}`, `${first}.*.${org}.>`]

export async function purgeSubjects(
  { streams }: Pick<JetStreamManager, 'streams'>,
  { stream, filters, upTo }: OrganizationSubjects,
): Promise<void> {
  for (const filter of filters) await streams.purge(stream, upTo === undefined ? { filter } : { filter, seq: upTo + 1 })
}

/** Messages that are of the organization. */
export async function countSubjects(
  { streams }: Pick<JetStreamManager, 'streams'>,
  { stream, filters }: OrganizationSubjects,
): Promise<number> {
  let count = 0
  for (const filter of filters) {
    const { state } = await streams.info(stream, { subjects_filter: filter })
    for (const messages of Object.values(state.subjects ?? {})) count += messages
  }
  return count
}
