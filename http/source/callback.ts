/** The route for builders' reports (decision G-98). Only served if there is a secret that signs their tokens. */
import { placeOfRevision } from '#actors/source/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { exampleIds } from '#http/source/example.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { buildEnded, revisionStatuses } from '#streams/source/messages.ts'
import { checkCallbackToken } from '#streams/source/token.ts'
import { text } from '#streams/text.ts'

const url = text({ minLength: 1, pattern: '^https?://[\\x21-\\x7e]+$' })

const Body = t.Object(
  {
    token: t.String({ minLength: 1, maxLength: 4096, description: 'as in the build request' }),
    status: t.Enum(['succeeded', 'failed']),
    imageRef: t.Optional(text({ minLength: 1, description: 'the built artifact; with succeeded' })),
    logsURL: t.Optional(url),
    completedAt: t.Optional(t.String({ format: 'date-time', maxLength: 64 })),
    failureReason: t.Optional(text({ minLength: 1, maxLength: 2000 })),
  },
  {
    examples: [
      { token: 'eyJhbGciOiJIUzI1NiJ9.e30.signature', status: 'succeeded', imageRef: 'registry.example.test/shop:1' },
    ],
  },
)

const readReply = actorReply(t.Object({ revisionId: t.String(), status: t.Enum(revisionStatuses) }))

const wrong = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })

/** @throws Fault `invalid` for a success without an image, or a time outside of what the tables can store */
function checkBody({ status, imageRef, completedAt }: Static<typeof Body>): void {
  if (status === 'succeeded' && imageRef === undefined)
    throw wrong('/imageRef', 'required', 'is required with succeeded')
  const year = completedAt === undefined ? 2000 : new Date(completedAt).getUTCFullYear()
  if (!(year >= 1970 && year <= 2100)) throw wrong('/completedAt', 'range', 'must be between 1970 and 2100')
}

async function report(id: string, body: Static<typeof Body>, services: Services) {
  const { status, imageRef, logsURL, completedAt, failureReason } = body
  const place = await asService(() => placeOfRevision(services.em.fork(), id))
  if (!place) throw Fault.missing('revision', id)
  const { orgId, deploymentId, id: revisionId } = place
  const data = {
    deploymentId,
    revisionId,
    status,
    ...(imageRef !== undefined && { imageRef }),
    ...(logsURL !== undefined && { logsUrl: logsURL }),
    ...(completedAt !== undefined && { completedAt: new Date(completedAt).toISOString() }),
    ...(failureReason !== undefined && { failureReason }),
  }
  return asOrganization(orgId, async () => readReply(await services.actingFor(orgId).ask(buildEnded, data)))
}

export const buildCallbacks: readonly Route[] = [
  route({
    method: 'POST',
    path: '/build-callbacks/:revisionID',
    summary: "Report the result of a revision's build, with the token of its build request",
    description:
      'No bearer token: the token in the body is valid for this revision, for 30 minutes (otherwise 401 ' +
      'invalid_callback_token). Repeating a report returns the same response; a different result for a finished build ' +
      'returns 409 revision_finished.',
    permission: 'public',
    limit: 'inbound',
    onlyWith: 'BUILD_CALLBACK_SECRET',
    tags: ['Deployments'],
    params: t.Object({ revisionID: t.String({ examples: [exampleIds.revision] }) }),
    body: Body,
    reply: t.Object(
      { revisionID: t.String(), status: t.Enum(revisionStatuses) },
      { title: 'BuildReport', examples: [{ revisionID: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3', status: 'promoted' }] },
    ),
    refuses: { 401: ['invalid_callback_token'], 409: ['revision_finished'] },
    handle: async ({ params: { revisionID }, body }, services) => {
      const { callback } = services.source
      if (callback === undefined) throw new Fault('missing', 'not_found', 'No such path.')
      checkCallbackToken(callback, body.token, revisionID, services.now())
      checkBody(body)
      const { revisionId, status } = await report(revisionID, body, services)
      return { revisionID: revisionId, status }
    },
  }),
]
