/** Who may connect to NATS beside the service, and which subjects are open to each. */
import { subjectToken } from '#engine/actor/subject.ts'
import { ingestSubjects } from '#streams/index.ts'

export const streamUserKinds = ['producer', 'consumer', 'executor', 'builder'] as const
export type StreamUserKind = (typeof streamUserKinds)[number]

/** The name of one that is made: nothing else on the server is called so. */
export const streamUserName = (kind: StreamUserKind, digits: string): string => `${kind}-${digits}`
export const isStreamUserName = new RegExp(`^(?:${streamUserKinds.join('|')})-[0-9a-f]{12}$`)

/** Whether one of the kind serves one organization alone. */
export const isOfOrganization = (kind: StreamUserKind): boolean => kind === 'producer' || kind === 'consumer'

/** One that may connect. The organization of a producer or consumer is all it can reach. */
export interface StreamUser {
  /** Its name on the server, and that of its account and of its consumer: letters, digits and dashes. */
  id: string
  kind: StreamUserKind
  orgId?: string | null | undefined
  /** Of its password, as the server compares it. */
  hash: string
}

/** What producers may publish: all kinds but those of the service itself. */
const producedKinds = [...new Set(ingestSubjects.map(({ kind }) => kind))]

interface Rights {
  /** Subjects of the service it may publish on. */
  publish: string[]
  /** Subjects of the service it may listen to. */
  listen: string[]
  /** Its durable consumer, named as the user is: the stream, and what of it. */
  consumer?: { stream: string; filter: string }
}

/** Wildcards stand for single tokens: the server maps `ingest` subjects of four tokens alone. */
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
