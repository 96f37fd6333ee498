# FUNCNEST bounds recursion; deep but bounded recursion works.
down() { (($1 == 0)) && { echo bottom; return; }; down $(($1 - 1)); }
down 1000
FUNCNEST=50
endless() { endless; }
endless
echo "not reached in this function, status $?"
