/** The job that deletes data that is kept only for a time. */
import { dropExports } from '#actors/export/change.ts'
import type { JobWork, Tools } from '#actors/tools.ts'

export const retention =
  ({ em, exportsFolder, now }: Pick<Tools, 'em' | 'exportsFolder' | 'now'>): JobWork =>
  (_run, { orgId }) =>
    dropExports(em(), exportsFolder, orgId, now())
