/**
 * What the streams contain of one organization: every subject names it in its third token, those of lanes in their
 * fourth.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import { outlets, streamOf } from './stream.ts'

/** A stream, and its subjects that belong to the organization. */
export interface OrganizationSubjects {
  stream: string
  filters: string[]
  /** Messages up to this sequence may be deleted, because a lane must find the next one. Undefined: all. */
  upTo?: number
}

const outletFilters = (subject: string, org: string): string[] => {
  const first = subject.slice(0, subject.indexOf('.'))
  return [`${first}.*.${org}`, `${first}.*.${org}.>`]
}

/** All streams with the subjects of an organization, by its token; `cursors` are those of the lanes. */
export function subjectsOf(org: string, cursors: ReadonlyMap<number, number>): OrganizationSubjects[] {
  const lanes = Array.from(cursors, ([lane, upTo]) => ({
    stream: streamOf(lane),
    filters: [`lane.${lane}.*.${org}.*`],
    upTo,
  }))
  return [
    ...lanes,
    ...outlets.map(({ name, subjects }) => ({
      stream: name,
      filters: subjects.flatMap((subject) => outletFilters(subject, org)),
    })),
  ]
}

export async function purgeSubjects(
  { streams }: Pick<JetStreamManager, 'streams'>,
  { stream, filters, upTo }: OrganizationSubjects,
): Promise<void> {
  for (const filter of filters) await streams.purge(stream, upTo === undefined ? { filter } : { filter, seq: upTo + 1 })
}

/** Number of messages that belong to the organization. */
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
