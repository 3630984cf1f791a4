import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditActions } from '../../server/src/base/audit/audit-actions.ts';
import { actionText } from '../src/features/operator/action-text.ts';

test('every action of the audit log is said in words', () => {
  assert.deepEqual(
    auditActions.filter((action) => actionText(action) === action),
    [],
  );
});
