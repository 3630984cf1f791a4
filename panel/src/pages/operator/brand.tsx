import { useRead } from '../../api/queries.ts';
import { BrandForm } from '../../features/brand/brand-form.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';

export function BrandPage() {
  const saved = useRead('GET /admin/v1/brand', {});
  return (
    <Page
      title="Brand"
      intro="The name and look of this installation in the panel, on public pages, in emails and in the OpenAPI documents."
    >
      <Await query={saved} wait={<TableSkeleton rows={6} />}>
        {(brand) => <BrandForm key={brand.version} saved={brand} />}
      </Await>
    </Page>
  );
}
