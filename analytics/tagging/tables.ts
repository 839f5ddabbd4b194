import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/** Accepted tags of a resource, all of a source in one row, as the tagging actor appends them; an empty map means none. */
export const acceptedTag = table({
  name: 'accepted_tag',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    source: t.Enum(['smart', 'auto']),
    tags: t.Record(t.String(), t.String()),
  }),
})

export const taggingTables = [acceptedTag]
