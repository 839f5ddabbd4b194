import { defineEntity, p } from '@mikro-orm/core'

const user = defineEntity({
  name: 'ScimUser',
  tableName: 'scim_user',
  properties: {
    orgId: p.text().primary(),
    userId: p.uuid().primary(),
    /** As the directory writes it. */
    userName: p.text(),
    /** In lower case; unique in the directory. */
    userKey: p.text(),
    /** The directory's id for the person, if it sends one. */
    externalId: p.text().nullable(),
    /** The person's address in the directory, in lower case. */
    email: p.text(),
    displayName: p.text().nullable(),
    givenName: p.text().nullable(),
    familyName: p.text().nullable(),
    /** The role that the person gets again when the directory reactivates them. */
    roleId: p.text(),
    /** Null unless the directory has deactivated the person: deactivated people cannot sign in through a provider. */
    deactivatedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'userKey'] }],
})

/** A person as the organization's directory describes them. Written only by `http/scim`. */
export class ScimUser extends user.class {}
user.setClass(ScimUser)

const groupMember = defineEntity({
  name: 'ScimGroupMember',
  tableName: 'scim_group_member',
  properties: {
    orgId: p.text().primary(),
    /** A system role, or the id of a role of the organization. */
    roleId: p.text().primary(),
    userId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
})

/** A person whom the organization's directory has put into the group of a role. Written only by `http/scim`. */
export class ScimGroupMember extends groupMember.class {}
groupMember.setClass(ScimGroupMember)
