/** Parts of the schemas of answers: all that Google may leave out. */
import { t, type TSchema } from '#engine/value/schema.ts'

export const text = t.Optional(t.String())
export const flag = t.Optional(t.Boolean())
export const count = t.Optional(t.Number())
export const texts = t.Optional(t.Array(t.String()))
export const Labels = t.Optional(t.Record(t.String(), t.String()))
export const list = <S extends TSchema>(of: S) => t.Optional(t.Array(of))
export const EnabledFlag = t.Optional(t.Object({ enabled: flag }))
/** An object that may be left out. */
export const some = <P extends Record<string, TSchema>>(members: P) => t.Optional(t.Object(members))
