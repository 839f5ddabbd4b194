/** Who may connect to NATS besides the service, and which subjects each may use. */
import { subjectToken } from '#engine/actor/subject.ts'
import { ingestSubjects } from '#streams/index.ts'

export const streamUserKinds = ['producer', 'consumer', 'executor', 'builder'] as const
export type StreamUserKind = (typeof streamUserKinds)[number]

/** The name of a created user; no other object on the server has this form. */
export const streamUserName = (kind: StreamUserKind, digits: string): string => `${kind}-${digits}`
export const isStreamUserName = new RegExp(`^(?:${streamUserKinds.join('|')})-[0-9a-f]{12}$`)

/** Whether this kind of user belongs to one organization. */
export const isOfOrganization = (kind: StreamUserKind): boolean => kind === 'producer' || kind === 'consumer'

/** A NATS user. A producer or consumer can reach only its organization. */
export interface StreamUser {
  /** Its name on the server, and that of its account and its consumer: letters, digits and dashes. */
  id: string
  kind: StreamUserKind
  orgId?: string | null | undefined
  /** Hash of its password, as the server compares it. */
  hash: string
}

/** What producers may publish: all kinds but those of the service itself. */
const producedKinds = [...new Set(ingestSubjects.map(({ kind }) => kind))]

interface Rights {
  /** Subjects of the service it may publish on. */
  publish: string[]
  /** Subjects of the service it may subscribe to. */
  listen: string[]
  /** Its durable consumer, with the same name as the user: the stream, and the subjects in it. */
  consumer?: { stream: string; filter: string }
}

/** Wildcards match single tokens: the server maps only `ingest` subjects with four tokens. */
export function rightsOf({ kind, orgId }: Pick<StreamUser, 'kind' | 'orgId'>): Rights {
  const org = subjectToken(orgId ?? '')
  switch (kind) {
    case 'producer':
      return { publish: producedKinds.map((produced) => `ingest.${produced}.${org}.*`), listen: [] }
    case 'consumer': {
      const filter = `event.*.${org}.>`
      return { publish: [], listen: [filter, `dead.*.${org}`], consumer: { stream: 'EVENTS', filter } }
    }
    case 'executor': {
      const filter = 'exec.intent.>'
      return { publish: ['exec.result.*.*'], listen: [filter], consumer: { stream: 'EXEC', filter } }
    }
    case 'builder': {
      const filter = 'build.job.>'
      return { publish: [], listen: [filter], consumer: { stream: 'BUILD', filter } }
    }
  }
}
