import { makeNote, removeNote } from '#actors/note/change.ts'
import { Note } from '#actors/note/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Route } from '#http/edge/route.ts'
import { namesOf, PersonName } from '#http/people/name.ts'
import { reply } from '#http/store/reply.ts'
import { hiddenSigns } from '#streams/text.ts'

const members = {
  day: t.String({ format: 'date', maxLength: 10, description: 'YYYY-MM-DD', examples: ['2026-01-15'] }),
  text: t.String({
    minLength: 1,
    maxLength: 200,
    pattern: `^[^${hiddenSigns}]*\\S[^${hiddenSigns}]*$`,
    examples: ['Moved the shop to Arm machines'],
  }),
}

const NoteBody = t.Object(members, { examples: [{ day: '2026-01-15', text: 'Moved the shop to Arm machines' }] })

const NoteView = t.Object(
  { id: t.String(), ...members, authorID: t.String(), authorName: PersonName, createdAt: Timestamp },
  {
    title: 'Note',
    examples: [
      {
        id: '7c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        day: '2026-01-15',
        text: 'Moved the shop to Arm machines',
        authorID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        authorName: 'Ana',
        createdAt: '2026-01-16T10:00:00.000Z',
      },
    ],
  },
)

/** Notes of a range of days, at most. */
const shownMax = 500

const show = (note: Note, nameOf: (id: string) => string | null): Static<typeof NoteView> => ({
  id: note.id,
  day: note.day,
  text: note.text,
  authorID: note.authorId,
  authorName: nameOf(note.authorId),
  createdAt: note.createdAt.toISOString(),
})

const routeBase = { tags: ['Notes'] } as const

export const notes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/notes',
    summary: 'List notes at days, by day',
    description: `The newest ${shownMax} of the range. Everyone in the organization sees them, also with a role that shows other costs.`,
    permission: 'service.view',
    query: t.Object(range),
    reply: t.Array(NoteView),
    handle: async ({ caller: { orgId }, query }, { em, now }) => {
      const { fromDay, toDay } = rangeOf(query, now())
      const within = { orgId, day: { $gte: fromDay, $lte: toDay } }
      const orderBy = { day: 'desc', createdAt: 'desc', id: 'asc' } as const
      const found = await em.find(Note, within, { orderBy, limit: shownMax, refresh: true })
      const authors = found.map(({ authorId }) => authorId)
      const nameOf = await namesOf(em, orgId, authors)
      return found.toReversed().map((note) => show(note, nameOf))
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notes',
    summary: 'Add a note at a day',
    description: 'Charts of the console mark the day. Everyone in the organization sees the note.',
    permission: 'service.create',
    status: 201,
    body: NoteBody,
    reply: NoteView,
    refuses: { 422: ['limit_reached'] },
    handle: ({ caller, body }, { change }) =>
      change(async (tx) => {
        const made = await makeNote(tx, caller.userId, body)
        return reply(show(made, await namesOf(tx.em, caller.orgId, [made.authorId])), {})
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/notes/:noteID',
    summary: 'Delete a note',
    description: 'Anyone with service.delete can delete any note. This cannot be undone.',
    permission: 'service.delete',
    status: 204,
    params: t.Object({ noteID: t.String() }),
    handle: ({ params: { noteID } }, { change }) => change((tx) => removeNote(tx, noteID)),
  }),
]
