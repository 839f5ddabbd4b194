/** The name, tags and end of a job as they are typed. */
import type { ProvisioningJob } from './labels.ts'

export interface Tag {
  name: string
  value: string
}

const isGiven = ({ name, value }: Tag): boolean => name.trim() !== '' || value.trim() !== ''

/** Names that more than one row has: one of them would be lost. */
export function namedTwice(tags: readonly Tag[]): string[] {
  const names = tags.filter(isGiven).map(({ name }) => name)
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}

/** Rows without a word are none. */
export const tagsOf = (tags: readonly Tag[]): Record<string, string> =>
  Object.fromEntries(tags.filter(isGiven).map(({ name, value }) => [name, value]))

const rowsOfTags = (tags: Readonly<Record<string, string>>): Tag[] =>
  Object.entries(tags).map(([name, value]) => ({ name, value }))

/** As a JSON pointer writes it. */
const stepOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
export const tagPlaces = (tags: readonly Tag[]): string[] => tags.map(({ name }) => `/tags/${stepOf(name)}`)

export interface JobDraft {
  name: string
  tags: readonly Tag[]
  /** A day; a job that ends within one keeps its hour while this stays. */
  end: string
}

export const endOf = ({ expiresAt }: Pick<ProvisioningJob, 'expiresAt'>): string => expiresAt?.slice(0, 10) ?? ''
export const endAt = (day: string): string => `${day}T00:00:00Z`

export const startJobDraft = (job: Pick<ProvisioningJob, 'name' | 'tags' | 'expiresAt'>): JobDraft => ({
  name: job.name,
  tags: rowsOfTags(job.tags),
  end: endOf(job),
})

type Tags = Readonly<Record<string, string>>

const areSame = (some: Tags, others: Tags): boolean =>
  Object.keys(some).length === Object.keys(others).length &&
  Object.entries(some).every(([name, value]) => others[name] === value)

/** What differs: of the rest nothing changes, whoever changes it meanwhile. */
export function changesOf(job: Pick<ProvisioningJob, 'name' | 'tags' | 'expiresAt'>, draft: JobDraft) {
  const tags = tagsOf(draft.tags)
  return {
    ...(draft.name !== job.name && { name: draft.name }),
    ...(!areSame(tags, job.tags) && { tags }),
    ...(draft.end !== endOf(job) && { expiresAt: draft.end === '' ? null : endAt(draft.end) }),
  }
}
