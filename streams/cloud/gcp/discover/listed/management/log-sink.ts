/** The sinks of a project, which say where its logs go. */
import { t } from '#engine/value/schema.ts'
import { flag, list, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, also, onceIn } from '#streams/cloud/gcp/discover/listed.ts'

const Sink = t.Object({
  name: t.String(),
  destination: text,
  filter: text,
  disabled: flag,
  exclusions: list(t.Object({ disabled: flag })),
})

/** Undefined if they may not be listed. */
export const sinksIn = onceIn((place) =>
  also(place, 'logging.sinks.list', () => {
    const path = `/projects/${place.project}/sinks`
    return allOf(place, { service: 'logging', path, permission: 'logging.sinks.list' }, 'sinks', Sink)
  }),
)
